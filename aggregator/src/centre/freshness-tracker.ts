import type { Heartbeat } from "../realms/realm-liveness.ts";
import type { RealmEntry } from "../realms/realms-document.ts";
import {
  type FreshnessOptions,
  type FreshnessView,
  type FreshnessViewInputs,
  type SharedLiveness,
  TrackedRealm,
} from "./tracked-realm.ts";

/** Time that another heartbeat may take before the realm's claim is compared again, ms. */
const compareEveryMs = 250;

export type FreshnessTracker = ReturnType<typeof openFreshnessTracker>;

/** Compares what realms claim to have published with the rows of the read model that answers queries. */
export function openFreshnessTracker(options: FreshnessOptions) {
  const { clock } = options;
  const realms = new Map<string, TrackedRealm>();
  const unmatched = new Set<string>();
  let cancel = (): void => {};

  const tracked = (name: string): TrackedRealm =>
    realms.getOrInsertComputed(name, () => new TrackedRealm(name, options));

  function compare(name: string): void {
    const isMatched = tracked(name).compare();
    if (isMatched === undefined) return;
    if (isMatched) unmatched.delete(name);
    else unmatched.add(name);
    if (unmatched.size === 0) return;
    cancel();
    cancel = clock.after(compareEveryMs, () => {
      for (const waiting of [...unmatched]) compare(waiting);
    });
  }

  return {
    /**
     * Takes the claim and the instance of a heartbeat.
     *
     * @param shared liveness of the realm before this heartbeat
     */
    onHeartbeat(heartbeat: Heartbeat, silentAfterMs: number, shared?: SharedLiveness) {
      const { realm } = heartbeat;
      if (tracked(realm).onHeartbeat(heartbeat, silentAfterMs, shared)) compare(realm);
    },
    /** Notes that messages of the realm have an epoch or revision that no clock explains. */
    onRefusedEpoch: (realm: string, what: string) => tracked(realm).noteConflict(what, clock.monotonic()),
    /** Instance whose rows and commands count; empty before the first heartbeat. */
    followedInstance: (realm: string) => realms.get(realm)?.followedInstance ?? "",
    /** The same with the start of its process, from the heartbeats that this process has received of it. */
    followedAgent: (realm: string) => realms.get(realm)?.followedAgent ?? { instance: "", startedMs: undefined },
    forget(realm: string) {
      realms.delete(realm);
      unmatched.delete(realm);
    },
    /** History records that the realm has; undefined before its first heartbeat. */
    historyClaim: (realm: string) => tracked(realm).history,
    isBehind: (realm: string) => tracked(realm).isBehind,
    view({ name }: RealmEntry, inputs: FreshnessViewInputs): FreshnessView {
      const realm = tracked(name);
      // A heartbeat that would show it may be seconds away.
      if (!realm.wasProven) compare(name);
      return realm.view(inputs);
    },
    close: () => cancel(),
  };
}
