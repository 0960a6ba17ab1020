import { DatabaseSync } from "node:sqlite";
import { restrictDatabase } from "@realmwatch/shared/platform/sqlite/private-database";
import { inTransaction } from "../../platform/in-transaction.ts";
import { decodeMetricBlock, encodeMetricBlock, type MetricBlock, metricBlockChecksum } from "./metric-block.ts";

const version = 1;

/** Blocks of the metric log on disk. Every method throws the system's error. */
export type MetricLogStore = ReturnType<typeof openMetricLogStore>;

/**
 * Opens the store, an SQLite database. A commit survives a killed process; a power failure may lose the last ones.
 * `onDamage` is called for a block that cannot be read, which is then treated as if it had been deleted.
 */
export function openMetricLogStore(path: string, onDamage: (what: string) => void) {
  const db = openDatabase(path);
  const insert = db.prepare("INSERT INTO block VALUES (?, ?, ?, ?, ?)");
  const setEnd = db.prepare("INSERT INTO end VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET next = excluded.next");
  const setCommand = db.prepare("INSERT INTO command VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET seq = excluded.seq");
  const select = db.prepare("SELECT * FROM block WHERE first + count > ? ORDER BY first LIMIT 1");
  const remove = db.prepare("DELETE FROM block WHERE first + count <= ? RETURNING length(data) AS size");
  const oldest = db.prepare("SELECT first, count FROM block ORDER BY first LIMIT 1");
  const totals = db.prepare("SELECT sum(length(data)) AS bytes FROM block").get();
  let bytes = Number(totals?.["bytes"] ?? 0);
  let next = Number(db.prepare("SELECT next FROM end").get()?.["next"] ?? 1);
  let command = Number(db.prepare("SELECT seq FROM command").get()?.["seq"] ?? 0);
  let first = Number(oldest.get()?.["first"] ?? next);

  function deleteBelow(number: number): void {
    if (number <= first) return;
    for (const { size } of remove.all(number)) bytes -= Number(size);
    first = Number(oldest.get()?.["first"] ?? next);
  }

  return {
    /** Number after that of the last entry that was ever stored. */
    next: () => next,
    /** Last command whose points are stored; 0 for none. */
    commandSeq: () => command,
    /** Number of the oldest stored entry; `next()` of an empty log. */
    first: () => first,
    /** Size of all blocks, bytes. */
    bytes: () => bytes,
    add({ first: number, entries, recordedAtMs, commandSeq }: MetricBlock) {
      const data = encodeMetricBlock(entries);
      inTransaction(db, () => {
        insert.run(number, entries.length, recordedAtMs, metricBlockChecksum(data), data);
        setEnd.run(number + entries.length);
        if (commandSeq > command) setCommand.run(commandSeq);
      });
      bytes += data.length;
      next = number + entries.length;
      command = Math.max(command, commandSeq);
      first = Number(oldest.get()?.["first"] ?? number);
    },
    /** Block that contains entry `number`, or the first one after it; undefined after the last block. */
    read(number: number): MetricBlock | undefined {
      for (let row = select.get(number); row !== undefined; row = select.get(endOf(row))) {
        const block = readBlock(row);
        if (block !== undefined) return block;
        onDamage(`entries ${Number(row["first"])} to ${endOf(row) - 1}`);
      }
      return undefined;
    },
    /** Deletes blocks of which all entries are below `number`. */
    deleteBelow,
    /** Deletes the oldest block. */
    deleteOldest() {
      const row = oldest.get();
      if (row !== undefined) deleteBelow(endOf(row));
    },
    close: () => db.close(),
  };
}

function openDatabase(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  restrictDatabase(path);
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304");
  const found = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
  if (found > version) throw new Error(`it has version ${found}, written by a newer release`);
  db.exec(`CREATE TABLE IF NOT EXISTS block (
      first INTEGER PRIMARY KEY, count INTEGER NOT NULL, recorded_at_ms INTEGER NOT NULL,
      crc INTEGER NOT NULL, data BLOB NOT NULL);
    CREATE TABLE IF NOT EXISTS end (id INTEGER PRIMARY KEY CHECK (id = 0), next INTEGER NOT NULL);
    CREATE TABLE IF NOT EXISTS command (id INTEGER PRIMARY KEY CHECK (id = 0), seq INTEGER NOT NULL);
    PRAGMA user_version = ${version}`);
  return db;
}

/** Number after that of the last entry of a block. */
const endOf = (row: Record<string, unknown>): number => Number(row["first"]) + Number(row["count"]);

function readBlock(row: Record<string, unknown>): MetricBlock | undefined {
  const data = row["data"] as Uint8Array;
  if (metricBlockChecksum(data) !== row["crc"]) return undefined;
  try {
    return {
      first: Number(row["first"]),
      entries: decodeMetricBlock(data),
      recordedAtMs: Number(row["recorded_at_ms"]),
      commandSeq: 0,
    };
  } catch {
    return undefined;
  }
}
