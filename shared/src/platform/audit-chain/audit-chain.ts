import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { StoredAuditRecord } from "../../model/audit.ts";
import { auditHash, type ChainLink, equalsHash, formatChainLink, parseChainLink } from "./chain-link.ts";

/** An audit record to be appended. `atMs`: Unix ms. */
export type AuditEntry = { readonly atMs: number; readonly json: string };

/** SQL of the tables that a chain needs, in addition to `meta (name TEXT PRIMARY KEY, value)`. */
export const auditTablesSql = `
  CREATE TABLE audit (seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, json TEXT NOT NULL, hash BLOB NOT NULL);
  CREATE INDEX audit_by_time ON audit (at_ms, seq);
`;

export type AuditChain = ReturnType<typeof auditChain>;

/**
 * Opens the chain of audit records for writing. The last record and the last trimmed one are also stored in `meta`, so
 * that truncation at either end is detected. All methods run within transactions of the caller.
 */
export function auditChain(db: DatabaseSync) {
  const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
  const putMeta = db.prepare("INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)");
  const insert = db.prepare("INSERT INTO audit (seq, at_ms, json, hash) VALUES (?, ?, ?, ?)");
  const oldest = db.prepare("SELECT seq, at_ms, hash FROM audit ORDER BY seq LIMIT ?");
  const drop = db.prepare("DELETE FROM audit WHERE seq <= ?");
  let committedHead: ChainLink = parseChainLink(meta.get("audit_head")?.value);
  let head = committedHead;
  return {
    add(entries: readonly AuditEntry[]): void {
      for (const { atMs, json } of entries) {
        const seq = head.seq + 1;
        head = { seq, hash: auditHash(head.hash, seq, json) };
        insert.run(seq, Math.round(atMs), json, head.hash);
      }
    },
    /** Stores the end of the chain. To be called last in every transaction that added records. */
    storeHead(): void {
      if (head !== committedHead) putMeta.run("audit_head", formatChainLink(head));
    },
    /** Deletes up to `limit` of the oldest records that are older than `beforeMs`, and returns their number. */
    trim(beforeMs: number, limit: number): number {
      let anchor: ChainLink | undefined;
      for (const row of oldest.iterate(limit)) {
        if (Number(row.at_ms) >= beforeMs) break;
        anchor = { seq: Number(row.seq), hash: row.hash as Uint8Array };
      }
      if (anchor === undefined) return 0;
      putMeta.run("audit_anchor", formatChainLink(anchor));
      return Number(drop.run(anchor.seq).changes);
    },
    /** To be called after the transaction was committed. */
    committed(): void {
      committedHead = head;
    },
    /** To be called after the transaction was rolled back. */
    rolledBack(): void {
      head = committedHead;
    },
    /** Sequence number of the last added record, which may not be committed; 0 for an empty chain. */
    addedSeq: (): number => head.seq,
    /** Sequence number of the last committed record; 0 for an empty chain. */
    lastSeq: (): number => committedHead.seq,
  };
}

/** Columns of a record, with the hash of its predecessor: the record before it, or the last trimmed one. */
const columns = `seq, at_ms, json, hash,
    coalesce((SELECT hash FROM audit AS before WHERE before.seq = audit.seq - 1), :anchor) AS follows`;
const newest = `SELECT ${columns} FROM audit ORDER BY seq DESC LIMIT :limit`;
/** Uses the index on time, so that a period without records costs nothing; sorted by sequence number. */
const newestSince = `SELECT ${columns} FROM audit WHERE seq IN (
    SELECT seq FROM audit INDEXED BY audit_by_time WHERE at_ms >= :since ORDER BY at_ms DESC, seq DESC LIMIT :limit
  ) ORDER BY seq DESC`;

/** Returns a reader of the records of a chain, newest first; `sinceMs` undefined means no lower bound. */
export function auditChainReader(
  db: DatabaseSync,
): (sinceMs: number | undefined, limit: number) => readonly StoredAuditRecord[] {
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
