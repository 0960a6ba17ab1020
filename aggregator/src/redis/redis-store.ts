import type { Clock } from "@realmwatch/shared/model/clock";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { RowChange } from "@realmwatch/shared/model/row";
import type { RealmLiveness } from "../realms/realm-liveness.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import { encodeCatalog, encodeChange, encodeRecord } from "./redis-codec.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { changedChannel, realmKeys, rebuildLockKey, serverKey } from "./redis-keys.ts";
import * as scripts from "./redis-scripts.ts";

export type RedisStore = {
  /** Idempotent, in any order: what is older than what is there changes nothing. Rejects where Redis is away. */
  write(batch: RealmWrite): Promise<void>;
  /** Keeps when a realm was heard, for aggregators that start later. */
  storeLiveness(realm: string, sighting: RealmLiveness): Promise<void>;
  /** Forgets a realm: who lists it again starts by a rebuild. */
  forget(realm: string): Promise<void>;
  /** Takes the right to rebuild for `forMs`, or undefined where another aggregator has it. */
  lockRebuild(token: string, forMs: number): Promise<RebuildLock | undefined>;
  beginBuild(realm: string, token: string): Promise<void>;
  /** Whether what was written since `beginBuild` is still there; if so, it counts as whole from now on. */
  finishBuild(realm: string, token: string, built: BuiltPart): Promise<boolean>;
  /** Whether this is another server process than the data was last seen on, which may have lost the newest writes. */
  isNewServer(): Promise<boolean>;
};
export type RebuildLock = { renew(forMs: number): Promise<void>; release(): Promise<void> };
export type BuiltPart =
  | { readonly what: "rows" /** Unix ms. */; readonly storedAtMs: number | undefined }
  | { readonly what: "history" };

/** A script call holds Redis up for some ms: at most so many rows and about so many bytes in one. */
const rowsPerCall = 500;
const bytesPerCall = 2 * 1024 * 1024;

export type RedisStoreOptions = {
  readonly redis: RedisConnection;
  readonly clock: Clock;
  /** History records kept of each realm. */
  readonly historyLength: () => number;
  /** How long a history record is kept, ms. */
  readonly historyRetentionMs: number;
};

export function openRedisStore({ redis, clock, historyLength, historyRetentionMs }: RedisStoreOptions): RedisStore {
  async function writeRows(realm: string, changes: readonly RowChange[]): Promise<void> {
    const { rows, versions, changes: feed, meta } = realmKeys(realm);
    for (const args of rowArguments(changes))
      await redis.run(scripts.writeRows, [rows, versions, feed, meta], [changedChannel, realm, ...args]);
  }
  async function writeHistory(realm: string, records: readonly HistoryRecord[]): Promise<void> {
    const bounds = [historyLength(), clock.now() - historyRetentionMs];
    for (let at = 0; at < records.length; at += rowsPerCall) {
      const members = records.slice(at, at + rowsPerCall).flatMap((record) => [record.atMs, encodeRecord(record)]);
      await redis.run(scripts.writeHistory, [realmKeys(realm).history], [...bounds, ...members]);
    }
  }
  return {
    async write({ realm, changes, completeEpoch, catalog, records }) {
      const { rows, versions, changes: feed, meta } = realmKeys(realm);
      await writeRows(realm, changes);
      if (completeEpoch !== undefined)
        await redis.run(scripts.completeEpoch, [rows, versions, feed, meta], [changedChannel, realm, completeEpoch]);
      if (catalog !== undefined)
        await redis.run(
          scripts.writeCatalog,
          [meta],
          [changedChannel, realm, catalog.epoch, catalog.revision, encodeCatalog(catalog.catalog)],
        );
      await writeHistory(realm, records);
    },
    async storeLiveness(realm, sighting) {
      const { heartbeatAtMs, storedAtMs: _, heartbeatMonotonicMs: __, ...told } = sighting;
      if (heartbeatAtMs === undefined) return;
      const json = JSON.stringify({ heartbeatAtMs, ...told });
      await redis.run(scripts.writeLiveness, [realmKeys(realm).meta], [heartbeatAtMs, json]);
    },
    async forget(realm) {
      await redis.client.del(...Object.values(realmKeys(realm)));
    },
    async lockRebuild(token, forMs) {
      if ((await redis.client.set(rebuildLockKey, token, "PX", forMs, "NX")) !== "OK") return undefined;
      return {
        renew: async (ms) => void (await redis.run(scripts.renewLock, [rebuildLockKey], [token, ms])),
        release: async () => void (await redis.run(scripts.releaseLock, [rebuildLockKey], [token])),
      };
    },
    async beginBuild(realm, token) {
      await redis.run(scripts.beginBuild, [realmKeys(realm).meta], [token]);
    },
    async finishBuild(realm, token, built) {
      const field = built.what === "rows" ? "generation" : "historyGeneration";
      const storedAtMs = built.what === "rows" ? (built.storedAtMs ?? "") : "";
      const args = [changedChannel, realm, token, field, storedAtMs];
      return (await redis.run(scripts.finishBuild, [realmKeys(realm).meta], args)) === 1;
    },
    async isNewServer() {
      // A cluster's nodes come and go: there the change counts tell, realm by realm.
      if (redis.isCluster) return false;
      const runId = /^run_id:(\S+)/m.exec(await redis.client.info("server"))?.[1] ?? "";
      return (await redis.client.getset(serverKey, runId)) !== runId;
    },
  };
}

/** The arguments of one script call each. */
function* rowArguments(changes: readonly RowChange[]): Generator<(string | number)[]> {
  let args: (string | number)[] = [];
  let bytes = 0;
  for (const change of changes) {
    const { key, epoch, revision } = change.kind === "put" ? { key: change.row.about.key, ...change.row } : change;
    const json = encodeChange(change);
    args.push(refOf(key), epoch, revision, json);
    bytes += json.length;
    if (args.length < 4 * rowsPerCall && bytes < bytesPerCall) continue;
    yield args;
    [args, bytes] = [[], 0];
  }
  if (args.length > 0) yield args;
}
