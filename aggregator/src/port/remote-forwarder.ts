import { ConnectError } from "@connectrpc/connect";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Forwarder } from "../forward/forwarder.ts";
import type { CentreChannel } from "./centre-contract.ts";

/** Forwarder of the main thread. */
export class RemoteForwarder implements Forwarder {
  readonly #engine: CentreChannel;
  readonly #clock: Pick<Clock, "monotonic">;
  #realms: ReadonlySet<string> = new Set();
  #calls = 0;

  constructor(engine: CentreChannel, clock: Pick<Clock, "monotonic">) {
    this.#engine = engine;
    this.#clock = clock;
  }

  setRealms(realms: readonly string[]): void {
    this.#realms = new Set(realms);
  }

  hasRealm(realm: string): boolean {
    return this.#realms.has(realm);
  }

  readonly forward: Forwarder["forward"] = async (realm, { method, message, signal, ...call }) => {
    const id = ++this.#calls;
    const cancel = (): void => this.#engine.tell("cancelForward", id);
    signal.addEventListener("abort", cancel);
    try {
      const { requestId, idempotencyKey, timeoutMs } = call;
      const answer = this.#engine.request("forward", id, {
        ...{ realm, requestId, idempotencyKey, message },
        endMs: this.#clock.monotonic() + timeoutMs,
        service: method.parent.typeName,
        method: method.name,
      });
      if (signal.aborted) cancel();
      const result = await answer;
      if (result.ok || result.error.kind !== "rpc_error") return result as Awaited<ReturnType<Forwarder["forward"]>>;
      const error = new ConnectError(result.error.message, result.error.code);
      error.details = result.error.details as ConnectError["details"];
      return fail(error);
    } catch (error) {
      return fail({ kind: "unavailable", what: errorText(error) });
    } finally {
      signal.removeEventListener("abort", cancel);
    }
  };
}
