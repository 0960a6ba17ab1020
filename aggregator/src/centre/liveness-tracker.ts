import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { formatDuration } from "@realmwatch/shared/text/duration";
import {
  type ClockReadings,
  type Heartbeat,
  isReachable,
  lastSeenAtMs,
  livenessAfterHeartbeat,
  mergeLiveness,
  neverSeenLiveness,
  type RealmLiveness,
  reachableForMs,
  type StoredLiveness,
} from "../realms/realm-liveness.ts";
import type { RealmEntry, RealmsPlan } from "../realms/realms-document.ts";

/** Liveness of all realms. Survives reloads of the realms document. */
export type LivenessTracker = ReturnType<typeof openLivenessTracker>;

const checkEveryMs = 1_000;

export function openLivenessTracker(clock: Clock, log: Pick<Log, "info" | "warn">) {
  const byRealm = new Map<string, RealmLiveness>();
  const clockReadings = (): ClockReadings => ({ nowMs: clock.now(), monotonicMs: clock.monotonic() });
  const of = (realm: string): RealmLiveness => byRealm.get(realm) ?? neverSeenLiveness;
  const reachable = (entry: RealmEntry): boolean =>
    isReachable(of(entry.name), entry.unreachableAfterMs, clockReadings());

  return {
    of,
    forget: (realm: string) => void byRealm.delete(realm),
    onHeartbeat(heartbeat: Heartbeat): RealmLiveness {
      const before = of(heartbeat.realm);
      const liveness = livenessAfterHeartbeat(before, heartbeat, clockReadings());
      byRealm.set(heartbeat.realm, liveness);
      return liveness;
    },
    /** Merges stored liveness; `readings` are the clocks as of the request for it. */
    merge: (realm: string, stored: StoredLiveness, readings: ClockReadings) =>
      void byRealm.set(realm, mergeLiveness(of(realm), stored, readings)),
    onMessageStored: (realm: string, atMs: number) =>
      void byRealm.set(realm, { ...of(realm), storedAtMs: Math.max(of(realm).storedAtMs ?? 0, atMs) }),
    isReachable: reachable,
    /** Reason why a realm is unreachable, as the predicate of a sentence; undefined when it is reachable. */
    unreachableReason(entry: RealmEntry): string | undefined {
      if (reachable(entry)) return undefined;
      const seenMs = lastSeenAtMs(of(entry.name));
      if (seenMs === undefined) return "is unreachable: it has never sent a heartbeat";
      const forMs = Math.max(0, Math.round((clock.now() - seenMs) / 1000) * 1000);
      return `is unreachable: no heartbeat for ${formatDuration(forMs)}`;
    },
    /** Logs when realms become reachable and unreachable, until the returned function is called. */
    logChanges(realms: () => RealmsPlan): () => void {
      const known = new Map<string, boolean>();
      let cancel = clock.after(0, checkAll);
      return () => cancel();

      function checkAll(): void {
        let nextMs = checkEveryMs;
        for (const entry of realms().values()) {
          const now = reachable(entry);
          if (known.get(entry.name) !== now && (now || known.has(entry.name)))
            log.info({ realm: entry.name, reachable: now }, now ? "realm is reachable" : "realm is unreachable");
          known.set(entry.name, now);
          nextMs = Math.min(
            nextMs,
            reachableForMs(of(entry.name), entry.unreachableAfterMs, clockReadings()) ?? nextMs,
          );
        }
        cancel = clock.after(nextMs, checkAll);
      }
    },
  };
}
