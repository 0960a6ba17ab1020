import { renameSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { restrictDatabase } from "@realmwatch/shared/platform/sqlite/private-database";
import { inTransaction } from "../platform/in-transaction.ts";

/** Name of the SQLite database in the data directory. */
export const metricFile = "metrics.db";
const version = 1;

/** Series as stored. */
export type SeriesKey = { readonly ref: string; readonly label: string; readonly uom: string };

/** Chunk of points. `level`: 0 for points as recorded, 1 for averages. */
type StoredChunk = {
  readonly series: number;
  readonly level: 0 | 1;
  readonly fromMs: number;
  readonly toMs: number;
  readonly data: Uint8Array;
};
export type ChunkRow = StoredChunk & { readonly id: number };

/** Tables of the metric store. Every method throws the error of SQLite. */
export type MetricDatabase = ReturnType<typeof openMetricDatabase>;

/**
 * Opens the database. A damaged one is moved away and an empty one begun, because the data are only a copy of what was
 * measured lately.
 *
 * @param onDamaged called with the name that the damaged file got
 */
export function openMetricDatabase(path: string, onDamaged: (movedTo: string) => void) {
  const db = openOrReplace(path, onDamaged);
  const sql = metricStatements(db);
  const pragma = (name: string): number => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0] ?? 0);

  return {
    /** Runs `work` in one transaction; rolls back when it throws. */
    transaction: <T>(work: () => T): T => inTransaction(db, work),
    /** Id of a series, which is created when missing. */
    seriesId({ ref, label, uom }: SeriesKey): number {
      sql.addSeries.run(ref, label, uom);
      return Number(sql.findSeries.get(ref, label, uom)?.["id"]);
    },
    seriesOf: (ref: string) =>
      sql.seriesOf.all(ref).map(({ id, label, uom }) => ({ id: Number(id), label: String(label), uom: String(uom) })),
    head: (series: number) => sql.head.get(series)?.["data"] as Uint8Array | undefined,
    putHead: (series: number, toMs: number, data: Uint8Array) => void sql.putHead.run(series, toMs, data),
    deleteHead: (series: number) => void sql.deleteHead.run(series),
    addChunk: ({ series, level, fromMs, toMs, data }: StoredChunk) =>
      void sql.add.run(series, level, fromMs, toMs, data),
    removeChunk: (id: number) => void sql.remove.run(id),
    chunksIn: (series: number, fromMs: number, toMs: number): ChunkRow[] =>
      sql.chunks.all(series, fromMs, toMs).map(chunkOf),
    lastAverages(series: number): ChunkRow | undefined {
      const found = sql.lastAverages.get(series);
      return found && chunkOf(found);
    },
    oldestChunks: (level: 0 | 1, beforeMs: number, limit: number): ChunkRow[] =>
      sql.oldest.all(level, beforeMs, limit).map(chunkOf),
    deleteOldest: (level: 0 | 1, beforeMs: number, limit: number): number =>
      Number(sql.deleteOldest.run(level, beforeMs, limit).changes),
    deleteHeads: (beforeMs: number, limit: number): number => Number(sql.deleteHeads.run(beforeMs, limit).changes),
    emptySeries: (limit: number): number[] => sql.emptySeries.all(limit).map(({ id }) => Number(id)),
    deleteSeries: (id: number) => void sql.deleteSeries.run(id),
    countSeries: () => Number(sql.countSeries.get()?.["n"]),
    /** Size of the used pages, bytes. */
    usedBytes: () => (pragma("page_count") - pragma("freelist_count")) * pragma("page_size"),
    /** Returns some unused pages to the file system. */
    shrink: (pages: number) => db.exec(`PRAGMA incremental_vacuum(${pages})`),
    close: () => db.close(),
  };
}

const metricStatements = (db: DatabaseSync) => ({
  addSeries: db.prepare("INSERT INTO series (ref, label, uom) VALUES (?, ?, ?) ON CONFLICT DO NOTHING"),
  findSeries: db.prepare("SELECT id FROM series WHERE ref = ? AND label = ? AND uom = ?"),
  seriesOf: db.prepare("SELECT id, label, uom FROM series WHERE ref = ? ORDER BY label, id"),
  head: db.prepare("SELECT data FROM head WHERE series = ?"),
  putHead: db.prepare("INSERT OR REPLACE INTO head (series, to_ms, data) VALUES (?, ?, ?)"),
  deleteHead: db.prepare("DELETE FROM head WHERE series = ?"),
  add: db.prepare("INSERT INTO chunk (series, level, from_ms, to_ms, data) VALUES (?, ?, ?, ?, ?)"),
  remove: db.prepare("DELETE FROM chunk WHERE id = ?"),
  chunks: db.prepare("SELECT * FROM chunk WHERE series = ? AND to_ms >= ? AND from_ms <= ?"),
  lastAverages: db.prepare("SELECT * FROM chunk WHERE series = ? AND level = 1 ORDER BY to_ms DESC LIMIT 1"),
  oldest: db.prepare("SELECT * FROM chunk WHERE level = ? AND to_ms < ? ORDER BY to_ms LIMIT ?"),
  deleteOldest: db.prepare(
    "DELETE FROM chunk WHERE id IN (SELECT id FROM chunk WHERE level = ? AND to_ms < ? ORDER BY to_ms LIMIT ?)",
  ),
  deleteHeads: db.prepare("DELETE FROM head WHERE series IN (SELECT series FROM head WHERE to_ms < ? LIMIT ?)"),
  emptySeries: db.prepare(`SELECT id FROM series WHERE id NOT IN (SELECT series FROM head)
    AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.series = series.id) LIMIT ?`),
  deleteSeries: db.prepare("DELETE FROM series WHERE id = ?"),
  countSeries: db.prepare("SELECT count(*) AS n FROM series"),
});

const chunkOf = (row: Record<string, unknown>): ChunkRow => ({
  id: Number(row["id"]),
  series: Number(row["series"]),
  level: row["level"] === 0 ? 0 : 1,
  fromMs: Number(row["from_ms"]),
  toMs: Number(row["to_ms"]),
  data: row["data"] as Uint8Array,
});

function openOrReplace(path: string, onDamaged: (movedTo: string) => void): DatabaseSync {
  try {
    return prepared(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const movedTo = `${path}.damaged`;
    renameSync(path, movedTo);
    onDamaged(movedTo);
    return prepared(path);
  }
}

/** True for a file that is not a database, or whose pages contradict each other. */
const isDamage = (error: unknown): boolean =>
  [11, 26].includes(Number((error as { errcode?: unknown }).errcode ?? 0) & 0xff);

function prepared(path: string): DatabaseSync {
  const db = new DatabaseSync(path);
  restrictDatabase(path);
  try {
    db.exec("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    db.exec("PRAGMA journal_size_limit = 16777216; PRAGMA cache_size = -16000; PRAGMA temp_store = MEMORY");
    const found = Number(db.prepare("PRAGMA user_version").get()?.["user_version"]);
    if (found > version)
      throw new Error(`${path} was written by a newer version: move it away to start with an empty one`);
    db.exec(`
      CREATE TABLE IF NOT EXISTS series (
        id INTEGER PRIMARY KEY, ref TEXT NOT NULL, label TEXT NOT NULL, uom TEXT NOT NULL, UNIQUE (ref, label, uom));
      CREATE TABLE IF NOT EXISTS chunk (
        id INTEGER PRIMARY KEY, series INTEGER NOT NULL, level INTEGER NOT NULL,
        from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL, data BLOB NOT NULL);
      CREATE INDEX IF NOT EXISTS chunk_by_series ON chunk (series, to_ms);
      CREATE INDEX IF NOT EXISTS chunk_by_age ON chunk (level, to_ms);
      CREATE TABLE IF NOT EXISTS head (series INTEGER PRIMARY KEY, to_ms INTEGER NOT NULL, data BLOB NOT NULL);
      PRAGMA user_version = ${version}`);
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}
