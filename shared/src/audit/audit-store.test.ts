import assert from "node:assert/strict";
import { chownSync, cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { AuditRecord } from "../model/audit.ts";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { systemClock } from "../platform/system-clock.ts";
import type { AuditGap } from "./audit-file.ts";
import { auditGapRecord } from "./audit-queue.ts";
import { type AuditStore, openAuditStore } from "./audit-store.ts";
import { verifyAudit } from "./verify-audit.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-audit-store-"));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;
const newDir = (): string => join(folder, `data${folders++}`);

async function open(dataDir: string, more: object = {}): Promise<AuditStore> {
  const store = await openAuditStore({ dataDir, retentionMs: 1e12, clock: systemClock, ...more });
  if (!store.ok) assert.fail(store.error);
  after(() => store.value.close());
  return store.value;
}

const refusalOf = async (dataDir: string): Promise<string> => {
  const store = await openAuditStore({ dataDir, retentionMs: 1e12, clock: systemClock });
  return store.ok ? "" : store.error;
};

const record = (rpc: string, atMs = 5): AuditRecord => ({
  ...{ atMs, source: "api", peer: "", rpc, commandJson: "{}", outcome: "accepted" },
  ...{ requestId: "", onBehalfOf: "", reason: "", count: 1 },
});

async function rpcs(store: AuditStore, sinceMs?: number, limit = 100): Promise<string[]> {
  const answer = await store.auditRecords({ sinceMs, limit });
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.map(({ rpc }) => rpc);
}

test("[AU10] records are stored in a chain and listed newest first, and a changed one is detected", async () => {
  const dir = newDir();
  const store = await open(dir);
  assert.ok((await store.audit([record("one"), record("two", 7)])).ok);
  assert.ok((await store.audit([record("three", 6)])).ok);
  assert.deepEqual(await rpcs(store), ["three", "two", "one"]);
  assert.deepEqual(await rpcs(store, 6), ["three", "two"]);
  assert.deepEqual(await rpcs(store, undefined, 1), ["three"]);
  assert.ok(verifyAudit(dir).ok, "while it is in use");
  await store.close();
  const again = await open(dir);
  await again.audit([record("four")]);
  assert.deepEqual(await rpcs(again), ["four", "three", "two", "one"]);
  await again.close();
  const whole = verifyAudit(dir);
  assert.deepEqual(whole.ok && [whole.value.records, whole.value.head.seq], [4, 4]);
  const db = new DatabaseSync(join(dir, "audit.db"));
  db.exec("UPDATE audit SET json = replace(json, 'two', 'too') WHERE seq = 2");
  db.close();
  const changed = verifyAudit(dir);
  assert.match(changed.ok ? "" : changed.error, /record 2 or the one before it was changed/);
});

test("[AU10] a directory in use, a foreign file and a newer version are refused with a sentence", async () => {
  const dir = newDir();
  const store = await open(dir);
  assert.match(await refusalOf(dir), /in use by another process/);
  await store.close();
  const db = new DatabaseSync(join(dir, "audit.db"));
  db.exec("PRAGMA user_version = 99");
  db.close();
  assert.match(await refusalOf(dir), /written by a newer version/);
  const other = newDir();
  await (await open(other)).close();
  writeFileSync(join(other, "audit.db"), "not a database at all, but long enough to be looked at as one".repeat(20));
  assert.match(await refusalOf(other), /cannot open the audit log|damaged/);
});

test("[DU7] a data directory with another user's files is refused", async (t) => {
  if (process.geteuid?.() !== 0) return t.skip("needs root, to give a file away");
  const dir = newDir();
  await (await open(dir)).close();
  chownSync(join(dir, "audit.db"), 12_345, 12_345);
  assert.match(await refusalOf(dir), /audit\.db belongs to user 12345, and this program runs as user 0/);
});

test("[AU6] retention deletes the oldest records, and the rest verifies", async () => {
  const clock = manualClock(10_000_000);
  const dir = newDir();
  const store = await open(dir, { clock, retentionMs: 1_000_000 });
  await store.audit([...Array.from({ length: 700 }, (_, i) => record(String(i), i)), record("new", 9_999_000)]);
  for (let tries = 0; tries < 1000 && (await rpcs(store)).length > 1; tries++) clock.advance(60_000);
  assert.deepEqual(await rpcs(store), ["new"]);
  await store.close();
  const verified = verifyAudit(dir);
  assert.deepEqual(verified.ok && [verified.value.anchor.seq, verified.value.records], [700, 1]);
});

/** Creates a data directory as a killed process leaves it, with three records in the write-ahead log. */
async function killedWithThreeRecords(): Promise<string> {
  const [live, left] = [newDir(), newDir()];
  const store = await open(live);
  for (const rpc of ["one", "two", "three"]) await store.audit([record(rpc)]);
  cpSync(live, left, { recursive: true });
  await store.close();
  return left;
}

const remove = (dir: string, ending: string): void => {
  for (const file of readdirSync(dir)) if (file.endsWith(ending)) rmSync(join(dir, file));
};
const cut = (path: string, by: number): void => writeFileSync(path, readFileSync(path).subarray(0, -by));

const known = (lost: number): AuditGap => ({ lost, orMore: false });
const losses: [what: string, lose: (dir: string) => void, gap: AuditGap | undefined, left: string[]][] = [
  ["nothing", () => {}, undefined, ["three", "two", "one"]],
  ["the log", (dir) => remove(dir, "audit.db-wal"), known(3), []],
  ["the end of the log", (dir) => cut(join(dir, "audit.db-wal"), 1), known(1), ["two", "one"]],
  ["all that the log held", (dir) => writeFileSync(join(dir, "audit.db-wal"), ""), known(3), []],
  [
    "the file with its log",
    (dir) => ["audit.db", "audit.db-wal"].forEach((file) => void remove(dir, file)),
    known(3),
    [],
  ],
  ["every log", (dir) => remove(dir, "-wal"), { lost: 0, orMore: true }, []],
  ["the log of the lock", (dir) => remove(dir, "lock.db-wal"), { lost: 0, orMore: true }, ["three", "two", "one"]],
];
for (const [what, lose, gap, left] of losses)
  test(`[AU11] after a kill and loss of ${what}, the next start detects it once and recording continues`, async () => {
    const dir = await killedWithThreeRecords();
    lose(dir);
    const store = await open(dir);
    assert.deepEqual(store.gap, gap);
    assert.deepEqual(await rpcs(store), left);
    if (gap) assert.ok((await store.audit([auditGapRecord(gap, 9)])).ok);
    await store.close();
    const again = await open(dir);
    assert.equal(again.gap, undefined, "reported once");
    await again.close();
    const verified = verifyAudit(dir);
    assert.equal(verified.ok && verified.value.records, left.length + (gap ? 1 : 0));
  });

test("[AU11] the deletion of the audit log after a clean shutdown is detected", async () => {
  const dir = newDir();
  const store = await open(dir);
  await store.audit([record("one"), record("two")]);
  await store.close();
  remove(dir, "audit.db");
  const again = await open(dir);
  assert.deepEqual(again.gap, { lost: 2, orMore: false });
  await again.close();
});
