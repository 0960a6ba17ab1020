import type { AgentProcess } from "../forward/realm-call.ts";
import type { HistoryClaim } from "../realms/history-claim.ts";
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

export type FreshnessTracker = {
  /**
   * Takes the claim and the instance of a heartbeat.
   *
   * @param shared liveness of the realm before this heartbeat
   */
  onHeartbeat(heartbeat: Heartbeat, silentAfterMs: number, shared?: SharedLiveness): void;
  /** Notes that messages of the realm have an epoch or revision that no clock explains. */
  onRefusedEpoch(realm: string, what: string): void;
  /** Instance whose rows and commands count; empty before the first heartbeat. */
  followedInstance(realm: string): string;
  /** The same with the start of its process, from the heartbeats that this process has received of it. */
  followedAgent(realm: string): AgentProcess;
  isBehind(realm: string): boolean;
  forget(realm: string): void;
  /** History records that the realm has; undefined before its first heartbeat. */
  historyClaim(realm: string): HistoryClaim | undefined;
  view(entry: RealmEntry, inputs: FreshnessViewInputs): FreshnessView;
  close(): void;
};

/** Compares what realms claim to have published with the rows of the read model that answers queries. */
export function openFreshnessTracker(options: FreshnessOptions): FreshnessTracker {
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
    onHeartbeat(heartbeat, silentAfterMs, shared) {
      const { realm } = heartbeat;
      if (tracked(realm).onHeartbeat(heartbeat, silentAfterMs, shared)) compare(realm);
    },
    onRefusedEpoch: (realm, what) => tracked(realm).noteConflict(what, clock.monotonic()),
    followedInstance: (realm) => realms.get(realm)?.followedInstance ?? "",
    followedAgent: (realm) => realms.get(realm)?.followedAgent ?? { instance: "", startedMs: undefined },
    forget(realm) {
      realms.delete(realm);
      unmatched.delete(realm);
    },
    historyClaim: (realm) => tracked(realm).history,
    isBehind: (realm) => tracked(realm).isBehind,
    view({ name }, inputs) {
      const realm = tracked(name);
      // A heartbeat that would show it may be seconds away.
      if (!realm.wasProven) compare(name);
      return realm.view(inputs);
    },
    close: () => cancel(),
  };
}
