/**
 * Version of everything that is stored in Redis: keys, scripts and JSON. Raise it with every change of them. Each
 * version has separate keys, so aggregators of different versions can share a Redis without misreading each other's
 * data: an aggregator that finds no data of its version rebuilds it from JetStream.
 */
export const schemaVersion = 3;

const prefix = `rw:v${schemaVersion}:`;

/** Hash of the identity of the centre to which the database belongs, and the claims of its aggregators. Never changes. */
export const databaseOwnerKey = "rw:centre";

/**
 * Keys of one realm of a centre, all under one hash tag so that Redis Cluster stores them on one node and a script can
 * use them together.
 *
 * - `rows`: hash of object references to rows as JSON
 * - `versions`: hash of references to `<epoch> <revision> <number of the message> <checksum>`; that of a removed object
 *   ends in ` x`
 * - `changes`: sorted set of references by the number of their last change: the change feed
 * - `removed`: sorted set of references of removed objects by the time of their removal, ms of the Redis server's clock
 * - `meta`: hash of `generation`, `historyGeneration`, `building`, `floor`, `counter`, `pruned` (change number up to which
 *   removed objects are deleted), `catalogVersion` (number of changes of `catalog`), `liveness`, `heartbeatAt` (ms of the
 *   Redis server's clock), `storedAt`, `hasHistory`, `historyRuns` (`<first seq> <its time> <last seq> <its time>` of each
 *   run of consecutive records that were ever stored, separated by commas) and `historyTrimmed` (`<time> <seq>` of the
 *   newest record that was removed)
 * - `catalog`: hash of parts, as `<kind>.<number>`, to `<epoch> <revision> <checksum> <JSON>`
 * - `history`: sorted set of records as `<seq, 16 digits>:<checksum, 8 digits>:<JSON>` by their time in Unix ms
 * - `listed`: hash of the aggregators whose realms document lists the realm, to the end of their claim, ms of the Redis
 *   server's clock
 */
export type RealmKeys = {
  readonly rows: string;
  readonly versions: string;
  readonly changes: string;
  readonly meta: string;
  readonly catalog: string;
  readonly history: string;
  readonly removed: string;
  readonly listed: string;
};

export function realmKeys(centre: string, realm: string): RealmKeys {
  const start = `${prefix}${centre}:{${realm}}:`;
  return {
    rows: `${start}rows`,
    versions: `${start}versions`,
    changes: `${start}changes`,
    meta: `${start}meta`,
    catalog: `${start}catalog`,
    history: `${start}history`,
    removed: `${start}removed`,
    listed: `${start}listed`,
  };
}

/** Pattern of all keys of a realm, of every version and known to it or not. */
export const realmKeysPattern = (realm: string): string => `rw:*{${realm}}*`;
/** Pattern of the keys of all realms in this schema version. */
export const allRealmKeysPattern = `${prefix}*{*}*`;

/** Centre and realm of a key that matches `allRealmKeysPattern`. */
export function parseRealmKey(key: string): { readonly centre: string; readonly realm: string } {
  const [, centre = "", realm = ""] = /^(.*):\{([^{}]+)\}/.exec(key.slice(prefix.length)) ?? [];
  return { centre, realm };
}

/** Pub/sub channel on which the name of a realm is published after each of its changes. */
export const changedChannel = `${prefix}changed`;
/** Key, and channel, on which commands are tried. */
export const probeKey = "rw:probe";
/** Lock of the one aggregator that rebuilds. */
export const rebuildLockKey = `${prefix}rebuild`;
/** Redis server process on which the data was last seen. */
export const serverKey = `${prefix}server`;
/**
 * Sorted set of sessions that ended by a logout, by the time at which they would have ended, Unix ms. Its members are
 * opaque here; each is also published on the channel of the same name.
 */
export const revokedSessionsKey = `${prefix}revoked-sessions`;
/** Sorted set of the bulk requests whose selections are stored; the key of each selection begins with it. */
export const bulkSelectionsKey = `${prefix}bulk-selections`;
/**
 * Sorted set of the notes of the centre's own log; the key of each note begins with it. It has no schema version, because
 * notes are not read again from JetStream. Its form never changes.
 */
export const notesKey = "rw:notes";
/** Hash of the views that were saved at the centre, by name; without a schema version like the notes. */
export const viewsKey = "rw:views";
