import type { DatabaseSync } from "node:sqlite";
import { auditHash, type Link, readLink, showLink } from "./audit-hash.ts";
import type { AuditLine } from "./journal-protocol.ts";

export type AuditChain = {
  add(lines: readonly AuditLine[]): void;
  /** Deletes records from the oldest on, while they are older than `beforeMs`; how many. */
  trim(beforeMs: number, limit: number): number;
  /** The transaction was kept, or not. */
  keep(): void;
  forget(): void;
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
  };
}
