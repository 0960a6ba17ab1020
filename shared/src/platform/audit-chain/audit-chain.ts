import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { StoredAuditRecord } from "../../model/audit.ts";
import { auditHash, equalsHash, type ChainLink, parseChainLink, formatChainLink } from "./chain-link.ts";

/** One record on its way to the disk. */
export type AuditEntry = { readonly atMs: number; readonly json: string };

/** The tables that a chain needs, beside `meta (name TEXT PRIMARY KEY, value)`. */
export const auditTablesSql = `
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL, hash BLOB NOT NULL);
  CREATE INDEX audit_by_time ON audit (at_ms, seq);
`;

export type AuditChain = {
  add(lines: readonly AuditEntry[]): void;
  /** The last thing of a transaction that added something: notes where the chain ends. */
  storeHead(): void;
  /** Deletes records from the oldest on, while they are older than `beforeMs`; how many. */
  trim(beforeMs: number, limit: number): number;
  /** The transaction was kept, or not. */
  committed(): void;
  rolledBack(): void;
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
  let kept: ChainLink = parseChainLink(meta.get("audit_head")?.value);
  let head = kept;
  return {
    add(lines) {
      for (const { atMs, json } of lines) {
        const seq = head.seq + 1;
        head = { seq, hash: auditHash(head.hash, seq, json) };
        insert.run(seq, Math.round(atMs), json, head.hash);
      }
    },
    storeHead() {
      if (head !== kept) putMeta.run("audit_head", formatChainLink(head));
    },
    trim(beforeMs, limit) {
      let anchor: ChainLink | undefined;
      for (const row of oldest.iterate(limit)) {
        if (Number(row.at_ms) >= beforeMs) break;
        anchor = { seq: Number(row.seq), hash: row.hash as Uint8Array };
      }
      if (anchor === undefined) return 0;
      putMeta.run("audit_anchor", formatChainLink(anchor));
      return Number(drop.run(anchor.seq).changes);
    },
    committed() {
      kept = head;
    },
    rolledBack() {
      head = kept;
    },
    lastSeq: () => kept.seq,
  };
}

/** With the hash that a record has to follow: that of the one before it, or of the one that was trimmed last. */
const columns = `seq, at_ms, json, hash,
    coalesce((SELECT hash FROM audit AS before WHERE before.seq = audit.seq - 1), :anchor) AS follows`;
const newest = `SELECT ${columns} FROM audit ORDER BY seq DESC LIMIT :limit`;
/** Found by time, so that a span without records costs nothing; in the order in which they were made. */
const newestSince = `SELECT ${columns} FROM audit WHERE seq IN (
    SELECT seq FROM audit INDEXED BY audit_by_time WHERE at_ms >= :since ORDER BY at_ms DESC, seq DESC LIMIT :limit
  ) ORDER BY seq DESC`;

/** Reads the records of a chain, newest first; without `sinceMs` of any time. */
export function auditChainReader(db: DatabaseSync): (sinceMs: number | undefined, limit: number) => readonly StoredAuditRecord[] {
  const meta = db.prepare("SELECT value FROM meta WHERE name = 'audit_anchor'");
  const [all, since] = [db.prepare(newest), db.prepare(newestSince)];
  return (sinceMs, limit) => {
    const anchor = parseChainLink(meta.get()?.["value"]).hash;
    return (sinceMs === undefined ? all.all({ anchor, limit }) : since.all({ anchor, limit, since: sinceMs })).map(
      rowOf,
    );
  };
}

function rowOf({ seq, at_ms, json, hash, follows }: Record<string, SQLOutputValue>): StoredAuditRecord {
  const text = String(json);
  const expected = auditHash(follows as Uint8Array, Number(seq), text);
  return { seq: Number(seq), atMs: Number(at_ms), json: equalsHash(hash, expected) ? text : undefined };
}
