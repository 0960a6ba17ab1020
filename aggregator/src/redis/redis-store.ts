import { createHash } from "node:crypto";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { historyRunsOf, mostHistoryRuns } from "@realmwatch/shared/read-model/history/stored-history";
import type { RowChange } from "@realmwatch/shared/row/row";
import type { RealmLiveness } from "../realms/realm-liveness.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import { encodeCatalogPart, encodeObject, encodeRecord, encodeRuns, type StoredObject } from "./redis-codec.ts";
import { writeHistory } from "./redis-history-scripts.ts";
import { changedChannel, realmKeys, rebuildLockKey, serverKey } from "./redis-keys.ts";
import { deleteRealmKeys } from "./redis-scan.ts";
import * as scripts from "./redis-scripts.ts";

export type RedisStore = {
  /** Writes a batch. Idempotent and order-independent: older versions are ignored. Rejects when Redis is away. */
  write(batch: RealmWrite): Promise<void>;
  /** Stores the liveness of a realm, for aggregators that start later. */
  storeLiveness(realm: string, liveness: RealmLiveness): Promise<void>;
  /** Deletes all keys of a realm, unknown ones and those of other schema versions too. */
  forget(realm: string): Promise<void>;
  /** Deletes objects that cannot be read, unless they were written since. @returns their number */
  discardObjects(realm: string, objects: readonly StoredObject[]): Promise<number>;
  /** Deletes the catalog of that version, which cannot be read. */
  discardCatalog(realm: string, version: string): Promise<void>;
  /** Deletes the history of a realm, which is then rebuilt. */
  clearHistory(realm: string): Promise<void>;
  /**
   * Deletes the data of a damaged realm, which is then rebuilt. False when it was rebuilt since `generation`; an empty
   * generation stands for any.
   */
  clear(realm: string, generation: string): Promise<boolean>;
  /** Deletes what is stored of objects that were removed `ageMs` ago. */
  pruneRemoved(realm: string, ageMs: number): Promise<void>;
  /** Claims a realm for an aggregator whose realms document lists it. */
  claim(realm: string, aggregator: string, forMs: number): Promise<void>;
  /** Gives up a claim and deletes the realm's data if no other aggregator claims it. @returns true if one does */
  release(realm: string, aggregator: string): Promise<boolean>;
  /** Takes the rebuild lock for `forMs`; undefined when another aggregator holds it. */
  lockRebuild(token: string, forMs: number): Promise<RebuildLock | undefined>;
  beginBuild(realm: string, token: string): Promise<void>;
  /** Returns true when everything written since `beginBuild` is still stored; then the realm counts as complete. */
  finishBuild(realm: string, token: string, built: BuiltPart): Promise<boolean>;
  /** Returns true when the server process is another one than before, which may have lost the newest writes. */
  isNewServer(): Promise<boolean>;
};
type RebuildLock = { renew(forMs: number): Promise<void>; release(): Promise<void> };
type BuiltPart =
  | { readonly part: "rows" /** Unix ms. */; readonly storedAtMs: number | undefined }
  | { readonly part: "history" };

/** Limits of one script call, which blocks Redis for some ms. */
const rowsPerCall = 500;
const bytesPerCall = 2 * 1024 * 1024;

type RedisStoreOptions = {
  readonly redis: CentreRedis;
  readonly clock: Clock;
  /** Maximum number of history records of each realm. */
  readonly historyLength: () => number;
  /** Retention of history records, ms. */
  readonly historyRetentionMs: number;
};

export function openRedisStore({ redis, clock, historyLength, historyRetentionMs }: RedisStoreOptions): RedisStore {
  async function writeRows(realm: string, changes: readonly RowChange[]): Promise<void> {
    const { rows, versions, changes: feed, meta, removed } = realmKeys(redis.centre, realm);
    for (const args of rowArguments(changes))
      await redis.run(scripts.writeRows, [rows, versions, feed, meta, removed], [changedChannel, realm, ...args]);
  }
  async function writeRecords(realm: string, records: readonly HistoryRecord[]): Promise<void> {
    const bounds = [historyLength(), clock.now() - historyRetentionMs];
    for (let at = 0; at < records.length; at += rowsPerCall) {
      const batch = records.slice(at, at + rowsPerCall);
      const members = batch.flatMap((record) => [record.atMs, encodeRecord(record)]);
      const { history, meta } = realmKeys(redis.centre, realm);
      const runs = [encodeRuns(historyRunsOf(batch)), mostHistoryRuns];
      await redis.run(writeHistory, [history, meta], [...bounds, ...runs, ...members]);
    }
  }
  return {
    async write({ realm, forgottenSeq, changes, completeEpoch, catalogParts, records }) {
      if (forgottenSeq !== undefined) await deleteRealmKeys(redis, realm);
      const { rows, versions, changes: feed, meta, removed, catalog } = realmKeys(redis.centre, realm);
      await writeRows(realm, changes);
      if (completeEpoch !== undefined)
        await redis.run(
          scripts.completeEpoch,
          [rows, versions, feed, meta, removed],
          [changedChannel, realm, completeEpoch],
        );
      for (const part of catalogParts) {
        const args = [changedChannel, realm, part.kind, part.number, part.parts, encodeCatalogPart(part).value];
        await redis.run(scripts.writeCatalogPart, [meta, catalog], args);
      }
      await writeRecords(realm, records);
    },
    async storeLiveness(realm, { heartbeatMonotonicMs, clockSkewMs, seen, instance, epoch, revision }) {
      if (heartbeatMonotonicMs === undefined) return;
      const ageMs = Math.max(0, Math.round(clock.monotonic() - heartbeatMonotonicMs));
      const json = JSON.stringify({ instance, epoch, revision, seen });
      const skewMs = clockSkewMs === undefined ? "" : Math.round(clockSkewMs);
      await redis.run(scripts.writeLiveness, [realmKeys(redis.centre, realm).meta], [ageMs, clock.now(), skewMs, json]);
    },
    forget: (realm) => deleteRealmKeys(redis, realm),
    async discardObjects(realm, objects) {
      const { rows, versions, changes, removed } = realmKeys(redis.centre, realm);
      const args = objects.flatMap(({ ref, version, json }) => [ref, version, sha1(json)]);
      return Number(await redis.run(scripts.discardObjects, [rows, versions, changes, removed], args));
    },
    async discardCatalog(realm, version) {
      const { meta, catalog } = realmKeys(redis.centre, realm);
      await redis.run(scripts.discardCatalog, [meta, catalog], [version]);
    },
    async clearHistory(realm) {
      const { history, meta } = realmKeys(redis.centre, realm);
      await redis.run(scripts.clearHistory, [history, meta], [changedChannel, realm]);
    },
    async clear(realm, generation) {
      const { meta, listed: _, ...others } = realmKeys(redis.centre, realm);
      const keys = [meta, ...Object.values<string>(others)];
      return (await redis.run(scripts.clearRealm, keys, [changedChannel, realm, generation])) === 1;
    },
    async pruneRemoved(realm, ageMs) {
      const { versions, changes, meta, removed } = realmKeys(redis.centre, realm);
      const keys = [versions, changes, meta, removed];
      while ((await redis.run(scripts.pruneRemoved, keys, [ageMs, rowsPerCall])) === rowsPerCall);
    },
    async claim(realm, aggregator, forMs) {
      await redis.run(scripts.claimRealm, [realmKeys(redis.centre, realm).listed], [aggregator, forMs]);
    },
    async release(realm, aggregator) {
      const { listed, ...others } = realmKeys(redis.centre, realm);
      const keys = [listed, ...Object.values<string>(others)];
      return (await redis.run(scripts.releaseRealm, keys, [changedChannel, realm, aggregator])) === 1;
    },
    async lockRebuild(token, forMs) {
      if ((await redis.client.set(rebuildLockKey, token, "PX", forMs, "NX")) !== "OK") return undefined;
      return {
        renew: async (ms) => void (await redis.run(scripts.renewLock, [rebuildLockKey], [token, ms])),
        release: async () => void (await redis.run(scripts.releaseLock, [rebuildLockKey], [token])),
      };
    },
    async beginBuild(realm, token) {
      await redis.run(scripts.beginBuild, [realmKeys(redis.centre, realm).meta], [token]);
    },
    async finishBuild(realm, token, built) {
      const field = built.part === "rows" ? "generation" : "historyGeneration";
      const storedAtMs = built.part === "rows" ? (built.storedAtMs ?? "") : "";
      const args = [changedChannel, realm, token, field, storedAtMs];
      return (await redis.run(scripts.finishBuild, [realmKeys(redis.centre, realm).meta], args)) === 1;
    },
    async isNewServer() {
      // The nodes of a cluster change: there the change counter of each realm shows losses.
      if (redis.isCluster) return false;
      const runId = /^run_id:(\S+)/m.exec(await redis.client.info("server"))?.[1] ?? "";
      return (await redis.client.getset(serverKey, runId)) !== runId;
    },
  };
}

const sha1 = (text: string): string => createHash("sha1").update(text).digest("hex");

/** Splits changes into the arguments of script calls. */
function* rowArguments(changes: readonly RowChange[]): Generator<string[]> {
  let args: string[] = [];
  let bytes = 0;
  for (const change of changes) {
    const { ref, version, json } = encodeObject(change);
    args.push(ref, version, json);
    bytes += json.length;
    if (args.length < 3 * rowsPerCall && bytes < bytesPerCall) continue;
    yield args;
    [args, bytes] = [[], 0];
  }
  if (args.length > 0) yield args;
}
