import type { DatabaseSync } from "node:sqlite";
import { auditHash, type Link, readLink, showLink } from "./audit-hash.ts";

/** One record on its way to the disk. */
export type AuditLine = { readonly atMs: number; readonly json: string };

/** The tables that a chain needs, beside `meta (name TEXT PRIMARY KEY, value)`. */
export const auditTables = `
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL, hash BLOB NOT NULL);
  CREATE INDEX audit_by_time ON audit (at_ms, seq);
`;

export type AuditChain = {
  add(lines: readonly AuditLine[]): void;
  /** Deletes records from the oldest on, while they are older than `beforeMs`; how many. */
  trim(beforeMs: number, limit: number): number;
  /** The transaction was kept, or not. */
  keep(): void;
  forget(): void;
  /** The number of the last record that was kept; 0 for none. */
  lastSeq(): number;
};

/**
 * Appends to the chain of audit records. What the last record is, and which one was trimmed last, is kept beside
 * them: so a chain that was cut at either end shows.
 */
export function auditChain(db: DatabaseSync): AuditChain {
  const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
  const putMeta = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
  const insert = db.prepare("INSERT INTO audit (seq, at_ms, json, hash) VALUES (?, ?, ?, ?)");
  const oldest = db.prepare("SELECT seq, at_ms, hash FROM audit ORDER BY seq LIMIT ?");
  const drop = db.prepare("DELETE FROM audit WHERE seq <= ?");
  let kept: Link = readLink(meta.get("audit_head")?.value);
  let head = kept;
  return {
    add(lines) {
      if (lines.length === 0) return;
      for (const { atMs, json } of lines) {
        const seq = head.seq + 1;
        head = { seq, hash: auditHash(head.hash, seq, json) };
        insert.run(seq, Math.round(atMs), json, head.hash);
      }
      putMeta.run("audit_head", showLink(head));
    },
    trim(beforeMs, limit) {
      let anchor: Link | undefined;
      for (const row of oldest.iterate(limit)) {
        if (Number(row.at_ms) >= beforeMs) break;
        anchor = { seq: Number(row.seq), hash: row.hash as Uint8Array };
      }
      if (anchor === undefined) return 0;
      putMeta.run("audit_anchor", showLink(anchor));
      return Number(drop.run(anchor.seq).changes);
    },
    keep() {
      kept = head;
    },
    forget() {
      head = kept;
    },
    lastSeq: () => kept.seq,
  };
}

/** Found by time, so that a span without records costs nothing; in the order in which they were made. */
const since = `SELECT json FROM (
    SELECT seq, json FROM audit INDEXED BY audit_by_time WHERE at_ms >= ? ORDER BY at_ms DESC, seq DESC LIMIT ?
  ) ORDER BY seq DESC`;

/** Reads the records of a chain as JSON, newest first; without `sinceMs` of any time. */
export function auditReader(db: DatabaseSync): (sinceMs: number | undefined, limit: number) => readonly string[] {
  const newest = db.prepare("SELECT json FROM audit ORDER BY seq DESC LIMIT ?");
  const newestSince = db.prepare(since);
  return (sinceMs, limit) =>
    (sinceMs === undefined ? newest.all(limit) : newestSince.all(sinceMs, limit)).map((row) => String(row.json));
}
