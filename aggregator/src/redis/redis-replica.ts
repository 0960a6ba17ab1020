import { backoffMs } from "@realmwatch/shared/platform/backoff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import {
  catchUp,
  newRealmReplica,
  type RealmReading,
  type RealmReplica,
  type ReplicaState,
  startOver,
} from "./realm-replica.ts";
import { changedChannel } from "./redis-keys.ts";

type RedisReplica = {
  state(realm: string): ReplicaState;
  /** True once all rows of the realm were in memory; they stay there while Redis is away or is rebuilt. */
  wasLoaded(realm: string): boolean;
  /** True when the history of a realm is complete. */
  hasHistory(realm: string): boolean;
  /** Reason why the realm could not be read at the last attempt; empty when it was read. */
  readError(realm: string): string;
  /** Reads changes now. Resolves when they are in memory; errors are retried at the next poll. */
  refresh(): Promise<void>;
  close(): void;
};

type ReplicaOptions = RealmReading & {
  readonly realms: readonly string[];
  readonly log: Pick<Log, "warn">;
};

/**
 * Shortest interval of reads that pub/sub messages trigger, ms. A change after a pause is read at once; under steady
 * changes fewer reads with more rows take much less processor time.
 */
const readEveryMs = 200;
/**
 * Time for which messages trigger reads at once after an object changed more than once between two reads, ms. A realm's
 * claim covers its rows as of one message: where rows are skipped at that message, the rows held never match it.
 */
const undelayedForMs = 60_000;
/** Poll interval, ms: the delay after a lost pub/sub message. */
const pollEveryMs = 1_000;
/** Longest delay of the next read of a realm that cannot be read, ms. */
const maxRetryMs = 5_000;
/**
 * Interval at which one realm is read whole again, in turn, to find values that were overwritten: at least that long, and
 * longer after a big realm, ms.
 */
const verifyEveryMs = 10_000;
const verifyMsPerRow = 2;

/** Opens a replica of Redis in memory. Pub/sub messages trigger reads; a slow poll covers lost messages. */
export function openRedisReplica(options: ReplicaOptions): RedisReplica {
  const { redis, clock, log } = options;
  const replicas = new Map(options.realms.map((realm) => [realm, newRealmReplica(realm)]));
  let closed = false;

  /** Reads until there is no change. One read of a realm at a time; a message during a read triggers another one. */
  function read(replica: RealmReplica): Promise<void> {
    if (replica.reading) {
      replica.again = true;
      return replica.reading;
    }
    replica.reading = (async () => {
      do {
        replica.again = false;
        await catchUp(replica, options);
      } while (replica.again && !closed);
      Object.assign(replica, { error: "", failures: 0, retryAtMs: 0 });
    })()
      .catch((error: Error) => onReadFailed(replica, error))
      .finally(() => (replica.reading = undefined));
    return replica.reading;
  }
  /** [FD59] Reads after a message, at most every `readEveryMs` unless rows were skipped lately. */
  function trigger(replica: RealmReplica): void {
    if (replica.isTriggered) return;
    replica.isTriggered = true;
    const run = (): void => {
      Object.assign(replica, { isTriggered: false, triggeredAtMs: clock.monotonic() });
      if (!closed) void read(replica);
    };
    const isUndelayed = clock.monotonic() - replica.skippedAtMs < undelayedForMs;
    const waitMs = isUndelayed ? 0 : replica.triggeredAtMs + readEveryMs - clock.monotonic();
    if (waitMs <= 0) run();
    else clock.after(waitMs, run);
  }
  function onReadFailed(replica: RealmReplica, error: Error): void {
    if (closed || redis.unavailableReason() !== "") return;
    const { realm, error: before, failures } = replica;
    const retryMs = backoffMs({ firstMs: pollEveryMs, longestMs: maxRetryMs }, failures + 1);
    Object.assign(replica, {
      error: error.message,
      failures: failures + 1,
      retryAtMs: clock.monotonic() + retryMs,
    });
    if (before !== error.message) log.warn({ realm, why: error.message }, "Redis: a realm cannot be read");
    // A key holds a value of another type: no command reads it.
    if (failures > 0 && error.message.includes("WRONGTYPE"))
      options.onDamage(realm, { kind: "realm", generation: "", why: error.message });
  }
  const readAll = async (): Promise<void> => {
    if (redis.unavailableReason() !== "" || closed) return;
    const due = [...replicas.values()].filter(({ retryAtMs }) => retryAtMs <= clock.monotonic());
    await Promise.all(due.map(read));
  };

  const unverified: RealmReplica[] = [];
  function verifyNext(): void {
    if (unverified.length === 0) unverified.push(...replicas.values());
    const replica = unverified.pop();
    if (replica?.state === "loaded" && replica.reading === undefined && replica.error === "") {
      startOver(replica, replica.generation);
      void read(replica);
    }
    cancelVerify = clock.after(verifyEveryMs + (replica?.known.size ?? 0) * verifyMsPerRow, verifyNext);
  }
  let cancelVerify = clock.after(verifyEveryMs, verifyNext);

  redis.subscribe(changedChannel, (realm) => {
    const replica = replicas.get(realm);
    if (replica && !closed) trigger(replica);
  });
  redis.onUp(() => void readAll());
  let cancel = clock.after(pollEveryMs, function poll() {
    void readAll();
    cancel = clock.after(pollEveryMs, poll);
  });

  return {
    wasLoaded: (realm) => replicas.get(realm)?.wasLoaded ?? false,
    state: (realm) => replicas.get(realm)?.state ?? "unread",
    readError: (realm) => replicas.get(realm)?.error ?? "",
    hasHistory: (realm) => replicas.get(realm)?.history ?? false,
    refresh: readAll,
    close() {
      closed = true;
      cancel();
      cancelVerify();
    },
  };
}
