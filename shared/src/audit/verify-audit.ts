import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "../model/result.ts";
import { auditHash, type ChainLink, equalsHash, parseChainLink } from "../platform/audit-chain/chain-link.ts";
import { describeSqlError } from "../platform/sqlite/sqlite-errors.ts";
import { auditFile } from "./audit-file.ts";

/** Files that can hold audit records; an agent stores them in its journal. */
const files = ["journal.db", auditFile];

/** Content of an intact audit log. */
export type VerifiedAudit = {
  readonly records: number;
  /** Last record deleted by retention; seq 0 when there is none. */
  readonly anchor: ChainLink;
  readonly head: ChainLink;
  /** Times of the first and the last record, Unix ms; undefined for an empty log. */
  readonly spanMs: readonly [from: number, to: number] | undefined;
};

/**
 * Verifies the audit records of a data directory, which a running agent or aggregator may use at the same time.
 *
 * @returns a summary of the chain; or a sentence with its first break, or why it cannot be read
 */
export function verifyAudit(dataDir: string): Result<VerifiedAudit, string> {
  const path = files.map((file) => join(dataDir, file)).find((file) => existsSync(file));
  if (path === undefined)
    return fail(`${dataDir} holds no audit log: is it the -data-dir of an agent or an aggregator?`);
  try {
    const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      return read(db, path);
    } finally {
      db.close();
    }
  } catch (error) {
    return fail(`cannot read the audit log ${path}: ${describeSqlError(error)}`);
  }
}

function read(db: DatabaseSync, path: string): Result<VerifiedAudit, string> {
  // One transaction, for a consistent view while records are added.
  db.exec("BEGIN");
  const has = db.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'audit'").get();
  if (has === undefined)
    return fail(`${path} holds no audit records: is it a journal or an audit log of this program?`);
  const link = (name: string): ChainLink =>
    parseChainLink(db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.value);
  const rows = db
    .prepare("SELECT seq, at_ms, json, hash FROM audit ORDER BY seq")
    .iterate() as Iterable<StoredAuditRow>;
  return verifyChain(rows, { anchor: link("audit_anchor"), head: link("audit_head") });
}

type StoredAuditRow = {
  readonly seq: number;
  readonly at_ms: number;
  readonly json: string;
  readonly hash: Uint8Array;
};

function verifyChain(
  rows: Iterable<StoredAuditRow>,
  { anchor, head }: { anchor: ChainLink; head: ChainLink },
): Result<VerifiedAudit, string> {
  let last = anchor;
  let fromMs: number | undefined;
  let toMs = 0;
  for (const row of rows) {
    const broken = findBreak(row, last);
    if (broken !== undefined) return fail(`the audit log is broken: ${broken}`);
    last = row;
    fromMs ??= row.at_ms;
    toMs = row.at_ms;
  }
  if (last.seq < head.seq) return fail(`the audit log is broken: ${missing(last.seq + 1, head.seq)} at its end`);
  if (last.seq > head.seq || !equalsHash(last.hash, head.hash))
    return fail(`the audit log is broken: record ${last.seq} is not the last one written`);
  const spanMs = fromMs === undefined ? undefined : ([fromMs, toMs] as const);
  return ok({ records: last.seq - anchor.seq, anchor, head, spanMs });
}

/** Describes why a record is not the successor of `last`; undefined when it is. */
function findBreak(row: StoredAuditRow, last: ChainLink): string | undefined {
  if (row.seq > last.seq + 1) return missing(last.seq + 1, row.seq - 1);
  if (row.seq < last.seq + 1) return `record ${row.seq} should have been trimmed`;
  if (!equalsHash(row.hash, auditHash(last.hash, row.seq, row.json)))
    return `record ${row.seq} or the one before it was changed`;
  if (atMsOf(row.json) !== row.at_ms) return `the time of record ${row.seq} was changed`;
  return undefined;
}

const missing = (from: number, to: number): string =>
  from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`;

function atMsOf(json: string): number {
  const { atMs } = JSON.parse(json) as { atMs: number };
  return Math.round(atMs);
}
