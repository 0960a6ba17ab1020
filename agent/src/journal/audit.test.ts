import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { auditQueue } from "@realmwatch/shared/audit/audit-queue";
import { verifyAudit } from "@realmwatch/shared/audit/verify-audit";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { Journal } from "./journal.ts";
import { openJournal } from "./threads/open-journal.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-audit-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;
const newDir = (): string => join(folder, `data${folders++}`);

async function open(dataDir: string, more: object = {}): Promise<Journal> {
  const journal = await openJournal({ dataDir, realm: "r", historyRetentionMs: 1e12, clock: systemClock, ...more });
  if (!journal.ok) assert.fail(journal.error);
  after(() => journal.value.close());
  return journal.value;
}

const record = (text: string, atMs = 5): AuditRecord => ({
  atMs,
  source: "extcmd",
  peer: "",
  rpc: text,
  commandJson: "{}",
  outcome: "rejected",
  requestId: "",
  onBehalfOf: "",
  reason: "",
  count: 1,
});
const comment = (text: string) =>
  ({ atMs: 5, author: "ann", onBehalfOf: "", command: { kind: "add_comment", ref: "web1", id: text, text } }) as const;

async function rpcs(journal: Journal, sinceMs?: number, limit = 100): Promise<string[]> {
  const answer = await journal.auditRecords({ sinceMs, limit });
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.map(({ rpc }) => rpc);
}

test("[AU1] a command is stored with its audit records, which are returned newest first", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.accept(comment("a"), { audit: [record("one"), record("two", 7)] });
  await journal.audit([record("three", 6)]);
  await journal.accept(comment("b"));
  assert.deepEqual(await rpcs(journal), ["three", "two", "one"]);
  assert.deepEqual(await rpcs(journal, 6), ["three", "two"]);
  assert.deepEqual(await rpcs(journal, undefined, 1), ["three"]);
  assert.deepEqual(await rpcs(journal, 8), []);
  await journal.close();
  const again = await open(dir);
  await again.audit([record("four")]);
  assert.deepEqual(await rpcs(again), ["four", "three", "two", "one"]);
  await again.close();
  const verified = verifyAudit(dir);
  assert.deepEqual(verified.ok && [verified.value.records, verified.value.spanMs], [4, [5, 5]]);
});

/** Result of the verification of five records after `sql` changed them; empty when they are intact. */
async function tampered(sql: string): Promise<string> {
  const dir = newDir();
  const journal = await open(dir);
  await journal.audit(["a", "b", "c", "d", "e"].map((text) => record(text)));
  await journal.close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  db.exec(sql);
  db.close();
  const verified = verifyAudit(dir);
  return verified.ok ? "" : verified.error;
}

const broken: readonly (readonly [sql: string, why: RegExp])[] = [
  ["SELECT 1", /^$/],
  [`UPDATE audit SET json = replace(json, '"b"', '"x"') WHERE seq = 2`, /record 2 or the one before it was changed/],
  ["UPDATE audit SET hash = zeroblob(32) WHERE seq = 3", /record 3 or the one before it was changed/],
  ["UPDATE audit SET at_ms = 1 WHERE seq = 4", /the time of record 4 was changed/],
  ["DELETE FROM audit WHERE seq = 3", /record 3 is missing/],
  ["DELETE FROM audit WHERE seq < 3", /records 1 to 2 are missing/],
  ["DELETE FROM audit WHERE seq > 3", /records 4 to 5 are missing at its end/],
  ["DELETE FROM audit", /records 1 to 5 are missing at its end/],
  [
    "UPDATE audit SET seq = -1 WHERE seq = 2; UPDATE audit SET seq = 2 WHERE seq = 3; UPDATE audit SET seq = 3 WHERE seq = -1",
    /record 2 or the one before it was changed/,
  ],
  [
    "INSERT INTO audit SELECT 6, at_ms, json, hash FROM audit WHERE seq = 5",
    /record 6 or the one before it was changed/,
  ],
];
for (const [sql, why] of broken)
  test(`[AU5] ${why.source.replace("^$", "an unchanged log is intact")}: ${sql}`, async () =>
    assert.match(await tampered(sql), why));

test("[AU5] a folder without a journal is reported", () =>
  assert.match(JSON.stringify(verifyAudit(newDir())), /holds no audit log/));

test("[AU6] retention deletes the oldest records, and the rest verifies and grows", async () => {
  const clock = manualClock(10_000_000);
  const dir = newDir();
  // The clock advances while the journal trims; the new records must not exceed the retention meanwhile.
  const journal = await open(dir, { clock, auditRetentionMs: 9_000_000 });
  await journal.audit(Array.from({ length: 700 }, (_, i) => record(String(i), i)));
  // The clock was set back for a while: a newer record keeps older ones that follow it.
  await journal.audit([record("new", 9_999_000), record("old", 1)]);
  for (let tries = 0; tries < 1000 && (await rpcs(journal)).length > 2; tries++) clock.advance(60_000);
  assert.deepEqual(await rpcs(journal), ["old", "new"]);
  await journal.audit([record("next", 9_999_000)]);
  await journal.close();
  const verified = verifyAudit(dir);
  assert.ok(verified.ok, JSON.stringify(verified));
  assert.deepEqual([verified.value.records, verified.value.anchor.seq, verified.value.head.seq], [3, 700, 703]);
});

test("[AU7] records wait for the disk in order, and records above the limit are counted", async () => {
  const clock = manualClock(0);
  const stored: AuditRecord[] = [];
  let broken = true;
  const journal = {
    async audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>> {
      if (broken) return fail({ kind: "unavailable", what: "the disk is full" });
      stored.push(...records);
      return ok(undefined);
    },
  };
  const trail = auditQueue({ disk: journal, clock });
  for (let i = 0; i < 10_003; i++) await trail.add(record(String(i)));
  assert.equal(trail.lost(), 3);
  broken = false;
  clock.advance(5_000);
  await trail.close();
  assert.equal(stored.length, 10_001);
  assert.deepEqual(
    stored.slice(0, 10_000).map(({ rpc }) => rpc),
    Array.from({ length: 10_000 }, (_, i) => String(i)),
  );
  assert.deepEqual([stored.at(-1)?.count, stored.at(-1)?.outcome], [3, "failed"]);
  await trail.add(record("after"));
  assert.equal(stored.length, 10_002, "lost records are reported once");
});
