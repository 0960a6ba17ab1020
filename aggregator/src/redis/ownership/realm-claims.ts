import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { allRealmKeysPattern, parseRealmKey } from "../redis-keys.ts";
import { deleteKeys, scanKeys } from "../redis-scan.ts";
import type { RedisStore } from "../redis-store.ts";
import type { CentreRedis } from "./centre-redis.ts";

const claimEveryMs = 30_000;
/** Time for which a claim is valid without a renewal, ms. */
const claimForMs = 120_000;
const sweepEveryMs = 600_000;
/** Age of a removal above which nothing of the object is stored any more, ms. */
const keepRemovedForMs = 3_600_000;

export type RealmClaimsOptions = {
  readonly redis: CentreRedis;
  readonly store: Pick<RedisStore, "claim" | "release" | "pruneRemoved">;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn">;
  /** Unique id of this aggregator process. */
  readonly aggregator: string;
  readonly realms: () => readonly string[];
  readonly isListed: (realm: string) => boolean;
};

/**
 * Claims of the realms that this aggregator lists. Aggregators share consumers of the streams: while their realms
 * documents differ, each of them writes the messages of all realms that any of them lists.
 */
export function openRealmClaims(options: RealmClaimsOptions) {
  const { redis, store, clock, log, aggregator, isListed } = options;
  let closed = false;

  async function claimAll(): Promise<void> {
    // A realm whose node is away, or a full Redis, must not keep the others from being claimed.
    await Promise.all(options.realms().map((realm) => store.claim(realm, aggregator, claimForMs).catch(() => {})));
  }

  async function sweep(): Promise<void> {
    for (const realm of options.realms())
      if (!closed) await store.pruneRemoved(realm, keepRemovedForMs).catch(() => {});
    const unlisted = new Map<string, string[]>();
    const foreign: string[] = [];
    for await (const keys of scanKeys(redis, allRealmKeysPattern))
      for (const key of keys) {
        const { centre, realm } = parseRealmKey(key);
        if (centre !== redis.centre) foreign.push(key);
        else if (!isListed(realm)) unlisted.set(realm, [...(unlisted.get(realm) ?? []), key]);
      }
    // The database was another centre's, or this centre's before its streams were made anew.
    await deleteKeys(redis, foreign);
    for (const [realm, keys] of unlisted) {
      if (closed || isListed(realm) || (await store.release(realm, aggregator))) continue;
      await deleteKeys(redis, keys);
      log.info({ realm }, "Redis: data of a realm that is not listed was deleted");
    }
  }

  function trySweep(): void {
    if (closed || redis.unavailableReason() !== "") return;
    sweep().catch((error: Error) => log.warn({ why: error.message }, "Redis: removed realms remain for now"));
  }
  redis.onUp(() => void claimAll());
  const stopClaims = repeat(clock, claimEveryMs, () => void claimAll());
  const cancelFirstSweep = clock.after(claimEveryMs, trySweep);
  const stopSweeps = repeat(clock, sweepEveryMs, trySweep);
  return {
    /** Returns true when another aggregator lists the realm; otherwise its data in Redis is deleted. */
    isListedElsewhere: (realm: string) => store.release(realm, aggregator),
    /** Claims the listed realms now. */
    claimNow: () => void claimAll(),
    /** Deletes the data of realms that no aggregator lists, and of objects that were removed long ago. */
    sweepNow: trySweep,
    close() {
      closed = true;
      stopClaims();
      cancelFirstSweep();
      stopSweeps();
    },
  };
}
