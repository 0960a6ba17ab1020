import type { RealmEntry } from "../realms/realms-document.ts";
import { type ForwarderOptions, type OpenForwarder, openForwarder } from "./forwarder.ts";

type ForwardedRealms = Pick<ForwarderOptions, "tokens"> & { readonly plan: ForwarderOptions["realms"] };

type SwitchingForwarderOptions = Pick<ForwarderOptions, "bus" | "clock" | "followedAgent" | "onEnd"> & {
  /** Time after which a call has ended, ms. */
  readonly forwardTimeoutMs: number;
  /** Reason why a realm is not called, as `ForwarderOptions` has it. */
  readonly silentReason: (entry: RealmEntry) => string | undefined;
};

/** Opens the forwarder to the realms of a document, which can be switched to those of another one. */
export function openSwitchingForwarder(documents: ForwardedRealms, options: SwitchingForwarderOptions) {
  const ending = new AbortController();
  const open = ({ plan, tokens }: ForwardedRealms): OpenForwarder =>
    openForwarder({
      ...{ ...options, realms: plan, tokens, ending: ending.signal },
      unreachableReason(realm) {
        const entry = plan.get(realm);
        return entry && options.silentReason(entry);
      },
    });
  let current = open(documents);
  return {
    current: () => current,
    switchTo(changed: ForwardedRealms): void {
      const previous = current;
      current = open(changed);
      // Running calls may still be answered.
      options.clock.after(options.forwardTimeoutMs, () => previous.close());
    },
    /** Answers all calls that wait for realms as `unavailable`. */
    abandonCalls: () => ending.abort(),
    close: () => current.close(),
  };
}
