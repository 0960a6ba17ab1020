import { repeat } from "@realmwatch/shared/model/clock";
import { changedChannel } from "./redis-keys.ts";
import { ReplicaSchedule, type ReplicaScheduleOptions } from "./replica-schedule.ts";

/** Poll interval, ms: the delay after a lost pub/sub message. */
const pollEveryMs = 1_000;
/**
 * Interval at which one realm is read whole again, in turn, to find values that were overwritten: at least that long, and
 * longer after a big realm, ms.
 */
const verifyEveryMs = 10_000;
const verifyMsPerRow = 2;

/** Opens a replica of Redis in memory. Pub/sub messages trigger reads; a slow poll covers lost messages. */
export function openRedisReplica(options: ReplicaScheduleOptions & { readonly realms: readonly string[] }) {
  const { redis, clock } = options;
  const realms = new Map(options.realms.map((realm) => [realm, new ReplicaSchedule(realm, options)]));
  let closed = false;

  const readAll = async (): Promise<void> => {
    if (redis.unavailableReason() !== "" || closed) return;
    await Promise.all([...realms.values()].filter(({ isDue }) => isDue).map((each) => each.read()));
  };

  const unverified: ReplicaSchedule[] = [];
  function verifyNext(): void {
    if (unverified.length === 0) unverified.push(...realms.values());
    const next = unverified.pop();
    next?.verify();
    cancelVerify = clock.after(verifyEveryMs + (next?.replica.rows ?? 0) * verifyMsPerRow, verifyNext);
  }
  let cancelVerify = clock.after(verifyEveryMs, verifyNext);

  redis.subscribe(changedChannel, (realm) => realms.get(realm)?.trigger());
  redis.onUp(() => void readAll());
  const stopPolls = repeat(clock, pollEveryMs, () => void readAll());

  return {
    /** True once all rows of the realm were in memory; they stay there while Redis is away or is rebuilt. */
    wasLoaded: (realm: string) => realms.get(realm)?.replica.wasLoaded ?? false,
    state: (realm: string) => realms.get(realm)?.replica.state ?? "unread",
    /** Reason why the realm could not be read at the last attempt; empty when it was read. */
    readError: (realm: string) => realms.get(realm)?.error ?? "",
    /** True when the history of a realm is complete. */
    hasHistory: (realm: string) => realms.get(realm)?.replica.hasHistory ?? false,
    /** Reads changes now. Resolves when they are in memory; errors are retried at the next poll. */
    refresh: readAll,
    close() {
      closed = true;
      for (const each of realms.values()) each.close();
      stopPolls();
      cancelVerify();
    },
  };
}
