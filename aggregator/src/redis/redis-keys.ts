/**
 * The keys of one realm, all under one hash tag so that Redis Cluster keeps them on one node and a script
 * may touch them together.
 *
 * - `rows`: hash, reference of the object -> its row as JSON
 * - `versions`: hash, reference -> `<epoch> <revision>`; also of objects that are gone, until the next complete epoch
 * - `changes`: sorted set, references by the count of the change that touched them last: the change feed
 * - `meta`: hash: `generation`, `building`, `floor`, `counter`, `catalog`, `catalogVersion`, `sighting`, `heartbeatAt`
 *   and `storedAt`
 * - `history`: sorted set, records as `<seq, 16 digits>:<JSON>` by their instant in Unix ms
 */
export type RealmKeys = {
  readonly rows: string;
  readonly versions: string;
  readonly changes: string;
  readonly meta: string;
  readonly history: string;
};

export const realmKeys = (realm: string): RealmKeys => ({
  rows: `rw:{${realm}}:rows`,
  versions: `rw:{${realm}}:versions`,
  changes: `rw:{${realm}}:changes`,
  meta: `rw:{${realm}}:meta`,
  history: `rw:{${realm}}:history`,
});

/** Where the name of a realm is told whenever something of it changed. */
export const changedChannel = "rw:changed";
/** Held by the one aggregator that rebuilds. */
export const rebuildLockKey = "rw:rebuild";
/** The server instance that the data was last seen on. */
export const serverKey = "rw:server";
