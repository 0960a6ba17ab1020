/**
 * Version of everything that is stored in Redis: keys, scripts and JSON. Raise it with every change of them. Each
 * version has separate keys, so aggregators of different versions can share a Redis without misreading each other's
 * data: an aggregator that finds no data of its version rebuilds it from JetStream.
 */
export const schemaVersion = 2;

/** Versions before `schemaVersion`, whose keys are removed after an upgrade. Keys of version 0 had no version. */
export const olderSchemaVersions: readonly number[] = Array.from({ length: schemaVersion }, (_, version) => version);

const prefixOf = (version: number): string => (version === 0 ? "rw:" : `rw:v${version}:`);

/**
 * Keys of one realm, all under one hash tag so that Redis Cluster stores them on one node and a script can use them
 * together.
 *
 * - `rows`: hash of object references to rows as JSON
 * - `versions`: hash of references to `<epoch> <revision> <number of the message>`; also of removed objects, until the next complete epoch
 * - `changes`: sorted set of references by the number of their last change: the change feed
 * - `meta`: hash of `generation`, `historyGeneration`, `building`, `floor`, `counter`, `catalog`, `catalogVersion`,
 *   `liveness`, `heartbeatAt` and `storedAt`
 * - `history`: sorted set of records as `<seq, 16 digits>:<JSON>` by their time in Unix ms
 */
export type RealmKeys = {
  readonly rows: string;
  readonly versions: string;
  readonly changes: string;
  readonly meta: string;
  readonly history: string;
};

export function realmKeys(realm: string, version: number = schemaVersion): RealmKeys {
  const prefix = `${prefixOf(version)}{${realm}}:`;
  return {
    rows: `${prefix}rows`,
    versions: `${prefix}versions`,
    changes: `${prefix}changes`,
    meta: `${prefix}meta`,
    history: `${prefix}history`,
  };
}

/** Keys of a realm in all older schema versions. */
export const olderRealmKeys = (realm: string): readonly string[] =>
  olderSchemaVersions.flatMap((version) => Object.values<string>(realmKeys(realm, version)));

/** Pub/sub channel on which the name of a realm is published after each of its changes. */
export const changedChannel = `${prefixOf(schemaVersion)}changed`;
/** Lock of the one aggregator that rebuilds. */
export const rebuildLockKey = `${prefixOf(schemaVersion)}rebuild`;
/** Redis server process on which the data was last seen. */
export const serverKey = `${prefixOf(schemaVersion)}server`;
