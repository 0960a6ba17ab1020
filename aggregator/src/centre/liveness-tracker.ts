import type { Clock } from "@realmwatch/shared/model/clock";
import type { RealmView } from "@realmwatch/shared/model/realm";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { showDuration } from "@realmwatch/shared/text/duration";
import {
  type Heartbeat,
  hearHeartbeat,
  isReachable,
  lastSeenAtMs,
  learnSighting,
  type Moment,
  neverSeen,
  reachableForMs,
  type Sighting,
} from "../realms/realm-liveness.ts";
import type { RealmEntry, RealmsPlan } from "../realms/realms-document.ts";

/** Who was heard when. Outlives reloads of the realms document. */
export type Sightings = {
  hear(heartbeat: Heartbeat): Sighting;
  learn(realm: string, told: Omit<Sighting, "heartbeatMonotonicMs">): void;
  stored(realm: string, atMs: number): void;
  of(realm: string): Sighting;
  isReachable(entry: RealmEntry): boolean;
  /** Why a realm counts as unreachable, as the end of a sentence about it; undefined where it does not. */
  silent(entry: RealmEntry): string | undefined;
  views(realms: RealmsPlan, toggles: (realm: string) => ProgramToggles | undefined): readonly RealmView[];
  /** Tells in the log when realms come and go, until the returned function ends it. */
  watch(realms: () => RealmsPlan): () => void;
};

const lookEveryMs = 1_000;

export function openSightings(clock: Clock, log: Pick<Log, "info" | "warn">): Sightings {
  const byRealm = new Map<string, Sighting>();
  const conflicts = new Map<string, number>();
  const moment = (): Moment => ({ nowMs: clock.now(), monotonicMs: clock.monotonic() });
  const of = (realm: string): Sighting => byRealm.get(realm) ?? neverSeen;
  const reachable = (entry: RealmEntry): boolean => isReachable(of(entry.name), entry.unreachableAfterMs, moment());

  /** [F18] Two agents under one name take turns: each heartbeat comes from another process than the one before. */
  function lookForTwins(before: Sighting, { realm, instance, epoch }: Heartbeat): void {
    const isBack = before.instance !== "" && before.instance !== instance && epoch < before.epoch;
    const count = isBack ? (conflicts.get(realm) ?? 0) + 1 : (conflicts.get(realm) ?? 0);
    conflicts.set(realm, count);
    if (isBack && (count === 2 || count % 100 === 0))
      log.warn(
        { realm, instances: [before.instance, instance] },
        "two agents publish as the same realm; stop one of them",
      );
  }
  return {
    of,
    hear(heartbeat) {
      const before = of(heartbeat.realm);
      lookForTwins(before, heartbeat);
      const sighting = hearHeartbeat(before, heartbeat, moment());
      byRealm.set(heartbeat.realm, sighting);
      return sighting;
    },
    learn: (realm, told) => void byRealm.set(realm, learnSighting(of(realm), told)),
    stored: (realm, atMs) =>
      void byRealm.set(realm, { ...of(realm), storedAtMs: Math.max(of(realm).storedAtMs ?? 0, atMs) }),
    isReachable: reachable,
    silent(entry) {
      if (reachable(entry)) return undefined;
      const seenMs = lastSeenAtMs(of(entry.name));
      if (seenMs === undefined) return "is unreachable: it was never heard";
      const forMs = Math.max(0, Math.round((clock.now() - seenMs) / 1000) * 1000);
      return `is unreachable: it has not been heard for ${showDuration(forMs)}`;
    },
    views: (realms, toggles) =>
      [...realms.values()].map((entry) => ({
        name: entry.name,
        reachable: reachable(entry),
        lastSeenAtMs: lastSeenAtMs(of(entry.name)),
        description: entry.description,
        labels: entry.labels,
        clockSkewMs: of(entry.name).clockSkewMs,
        toggles: toggles(entry.name),
      })),
    watch(realms) {
      const known = new Map<string, boolean>();
      let cancel = clock.after(0, look);
      return () => cancel();

      function look(): void {
        let nextMs = lookEveryMs;
        for (const entry of realms().values()) {
          const now = reachable(entry);
          if (known.get(entry.name) !== now && (now || known.has(entry.name)))
            log.info({ realm: entry.name, reachable: now }, now ? "realm is reachable" : "realm is unreachable");
          known.set(entry.name, now);
          nextMs = Math.min(nextMs, reachableForMs(of(entry.name), entry.unreachableAfterMs, moment()) ?? nextMs);
        }
        cancel = clock.after(nextMs, look);
      }
    },
  };
}
