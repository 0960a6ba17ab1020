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

/** Write side of Redis. Its methods reject when Redis is away. */
export class RedisStore {
  readonly #options: RedisStoreOptions;
  readonly #redis: CentreRedis;

  constructor(options: RedisStoreOptions) {
    this.#options = options;
    this.#redis = options.redis;
  }

  /** Writes a batch. Idempotent and order-independent: older versions are ignored. */
  async write({ realm, forgottenSeq, changes, completeEpoch, catalogParts, records }: RealmWrite): Promise<void> {
    if (forgottenSeq !== undefined) await deleteRealmKeys(this.#redis, realm);
    const { rows, versions, changes: feed, meta, removed, catalog } = this.#keys(realm);
    await this.#writeRows(realm, changes);
    if (completeEpoch !== undefined)
      await this.#redis.run(
        scripts.completeEpoch,
        [rows, versions, feed, meta, removed],
        [changedChannel, realm, completeEpoch],
      );
    for (const part of catalogParts) {
      const args = [changedChannel, realm, part.kind, part.number, part.parts, encodeCatalogPart(part).value];
      await this.#redis.run(scripts.writeCatalogPart, [meta, catalog], args);
    }
    await this.#writeRecords(realm, records);
  }

  /** Stores the liveness of a realm, for aggregators that start later. */
  async storeLiveness(
    realm: string,
    { heartbeatMonotonicMs, clockSkewMs, seen, instance, epoch, revision }: RealmLiveness,
  ): Promise<void> {
    if (heartbeatMonotonicMs === undefined) return;
    const { clock } = this.#options;
    const ageMs = Math.max(0, Math.round(clock.monotonic() - heartbeatMonotonicMs));
    const json = JSON.stringify({ instance, epoch, revision, seen });
    const skewMs = clockSkewMs === undefined ? "" : Math.round(clockSkewMs);
    await this.#redis.run(scripts.writeLiveness, [this.#keys(realm).meta], [ageMs, clock.now(), skewMs, json]);
  }

  /** Deletes all keys of a realm, unknown ones and those of other schema versions too. */
  forget(realm: string): Promise<void> {
    return deleteRealmKeys(this.#redis, realm);
  }

  /** Deletes objects that cannot be read, unless they were written since. @returns their number */
  async discardObjects(realm: string, objects: readonly StoredObject[]): Promise<number> {
    const { rows, versions, changes, removed } = this.#keys(realm);
    const args = objects.flatMap(({ ref, version, json }) => [ref, version, sha1(json)]);
    return Number(await this.#redis.run(scripts.discardObjects, [rows, versions, changes, removed], args));
  }

  /** Deletes the catalog of that version, which cannot be read. */
  async discardCatalog(realm: string, version: string): Promise<void> {
    const { meta, catalog } = this.#keys(realm);
    await this.#redis.run(scripts.discardCatalog, [meta, catalog], [version]);
  }

  /** Deletes the history of a realm, which is then rebuilt. */
  async clearHistory(realm: string): Promise<void> {
    const { history, meta } = this.#keys(realm);
    await this.#redis.run(scripts.clearHistory, [history, meta], [changedChannel, realm]);
  }

  /**
   * Deletes the data of a damaged realm, which is then rebuilt. False when it was rebuilt since `generation`; an empty
   * generation stands for any.
   */
  async clear(realm: string, generation: string): Promise<boolean> {
    const { meta, listed: _, ...others } = this.#keys(realm);
    const keys = [meta, ...Object.values<string>(others)];
    return (await this.#redis.run(scripts.clearRealm, keys, [changedChannel, realm, generation])) === 1;
  }

  /** Deletes what is stored of objects that were removed `ageMs` ago. */
  async pruneRemoved(realm: string, ageMs: number): Promise<void> {
    const { versions, changes, meta, removed } = this.#keys(realm);
    const keys = [versions, changes, meta, removed];
    while ((await this.#redis.run(scripts.pruneRemoved, keys, [ageMs, rowsPerCall])) === rowsPerCall);
  }

  /** Claims a realm for an aggregator whose realms document lists it. */
  async claim(realm: string, aggregator: string, forMs: number): Promise<void> {
    await this.#redis.run(scripts.claimRealm, [this.#keys(realm).listed], [aggregator, forMs]);
  }

  /** Gives up a claim and deletes the realm's data if no other aggregator claims it. @returns true if one does */
  async release(realm: string, aggregator: string): Promise<boolean> {
    const { listed, ...others } = this.#keys(realm);
    const keys = [listed, ...Object.values<string>(others)];
    return (await this.#redis.run(scripts.releaseRealm, keys, [changedChannel, realm, aggregator])) === 1;
  }

  /** Takes the rebuild lock for `forMs`; undefined when another aggregator holds it. */
  async lockRebuild(token: string, forMs: number): Promise<RebuildLock | undefined> {
    if ((await this.#redis.client.set(rebuildLockKey, token, "PX", forMs, "NX")) !== "OK") return undefined;
    return {
      renew: async (ms) => void (await this.#redis.run(scripts.renewLock, [rebuildLockKey], [token, ms])),
      release: async () => void (await this.#redis.run(scripts.releaseLock, [rebuildLockKey], [token])),
    };
  }

  async beginBuild(realm: string, token: string): Promise<void> {
    await this.#redis.run(scripts.beginBuild, [this.#keys(realm).meta], [token]);
  }

  /** Returns true when everything written since `beginBuild` is still stored; then the realm counts as complete. */
  async finishBuild(realm: string, token: string, built: BuiltPart): Promise<boolean> {
    const field = built.part === "rows" ? "generation" : "historyGeneration";
    const storedAtMs = built.part === "rows" ? (built.storedAtMs ?? "") : "";
    const args = [changedChannel, realm, token, field, storedAtMs];
    return (await this.#redis.run(scripts.finishBuild, [this.#keys(realm).meta], args)) === 1;
  }

  /** Returns true when the server process is another one than before, which may have lost the newest writes. */
  async isNewServer(): Promise<boolean> {
    // The nodes of a cluster change: there the change counter of each realm shows losses.
    if (this.#redis.isCluster) return false;
    const runId = /^run_id:(\S+)/m.exec(await this.#redis.client.info("server"))?.[1] ?? "";
    return (await this.#redis.client.getset(serverKey, runId)) !== runId;
  }

  async #writeRows(realm: string, changes: readonly RowChange[]): Promise<void> {
    const { rows, versions, changes: feed, meta, removed } = this.#keys(realm);
    for (const args of rowArguments(changes))
      await this.#redis.run(scripts.writeRows, [rows, versions, feed, meta, removed], [changedChannel, realm, ...args]);
  }

  async #writeRecords(realm: string, records: readonly HistoryRecord[]): Promise<void> {
    const { historyLength, historyRetentionMs, clock } = this.#options;
    const bounds = [historyLength(), clock.now() - historyRetentionMs];
    for (let at = 0; at < records.length; at += rowsPerCall) {
      const batch = records.slice(at, at + rowsPerCall);
      const members = batch.flatMap((record) => [record.atMs, encodeRecord(record)]);
      const { history, meta } = this.#keys(realm);
      const runs = [encodeRuns(historyRunsOf(batch)), mostHistoryRuns];
      await this.#redis.run(writeHistory, [history, meta], [...bounds, ...runs, ...members]);
    }
  }

  #keys(realm: string): ReturnType<typeof realmKeys> {
    return realmKeys(this.#redis.centre, realm);
  }
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
