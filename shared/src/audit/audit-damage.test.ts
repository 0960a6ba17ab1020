import assert from "node:assert/strict";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import type { AuditRecord } from "../model/audit.ts";
import { systemClock } from "../platform/system-clock.ts";
import { openAuditStore } from "./audit-store.ts";
import { verifyAudit } from "./verify-audit.ts";

const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "realmwatch-audit-damage-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const [inLog, inFile, trial] = ["log", "file", "trial"].map((name) => join(folder, name)) as [string, string, string];
const [main, log] = [join(trial, "audit.db"), join(trial, "audit.db-wal")];
/** Distance between two damaged bytes, a prime; `npm run test:soak` damages every third one. */
const every = Number(process.env["REALMWATCH_EVERY"] ?? 149);

const open = (dataDir: string) => openAuditStore({ dataDir, retentionMs: 1e15, clock: systemClock });
const record = (rpc: string): AuditRecord => ({
  ...{ atMs: 5, source: "api", peer: "", rpc, commandJson: "{}", outcome: "accepted" },
  ...{ requestId: "", onBehalfOf: "", reason: "", count: 1 },
});

/**
 * Writes three records in separate commits: to `inLog` as a killed process leaves them, to `inFile` after a clean
 * close.
 */
async function writeThreeRecords(): Promise<void> {
  const live = join(folder, "live");
  mkdirSync(live);
  const small = new DatabaseSync(join(live, "audit.db"));
  small.exec("PRAGMA page_size = 512; PRAGMA journal_mode = WAL");
  small.close();
  const made = await open(live);
  if (!made.ok) assert.fail(made.error);
  await made.value.close();
  const store = await open(live);
  if (!store.ok) assert.fail(store.error);
  for (const rpc of ["one", "two", "three"]) assert.ok((await store.value.audit([record(rpc)])).ok);
  cpSync(live, inLog, { recursive: true });
  await store.value.close();
  cpSync(live, inFile, { recursive: true });
}
await writeThreeRecords();

type Found = { readonly rpcs: readonly string[]; readonly lost: boolean; readonly isWhole: boolean };

/** Opens a copy after `damage` and returns its records, newest first, or the error. Damaged records have a reason. */
async function openDamaged(from: string, damage: () => void): Promise<Found | string> {
  rmSync(trial, { recursive: true, force: true });
  cpSync(from, trial, { recursive: true });
  rmSync(`${main}-shm`, { force: true });
  damage();
  const store = await open(trial);
  if (!store.ok) return store.error;
  const found = await store.value.auditRecords({ sinceMs: 0, limit: 10 });
  const { gap } = store.value;
  await store.value.close();
  if (!found.ok) return JSON.stringify(found.error);
  const rpcs = found.value.map(({ rpc, reason }) => (reason === "" ? rpc : reason));
  return { rpcs, lost: gap !== undefined, isWhole: verifyAudit(trial).ok };
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  writeFileSync(path, bytes);
}

const offsetsOf = (path: string): number[] =>
  Array.from(readFileSync(path), (_, at) => at).filter((at) => at % every === 0);
const whole = ["three", "two", "one"];

test("[AU5] a truncated or damaged write-ahead log loses its tail and reports it, or is refused", async () => {
  const path = join(inLog, "audit.db-wal");
  for (const at of offsetsOf(path)) {
    const torn = await openDamaged(inLog, () => writeFileSync(log, readFileSync(path).subarray(0, at)));
    if (typeof torn === "string") assert.fail(`cut at ${at}: ${torn}`);
    assert.deepEqual(torn.rpcs, whole.slice(3 - torn.rpcs.length), `cut at ${at}`);
    assert.deepEqual([torn.lost, torn.isWhole], [torn.rpcs.length < 3, true], `cut at ${at}`);
    const flipped = await openDamaged(inLog, () => flip(log, at));
    if (typeof flipped === "string") assert.match(flipped, /is damaged/);
    else assert.deepEqual([flipped.rpcs, flipped.lost], flipped.lost ? [whole.slice(1), true] : [whole, false]);
  }
});

test("[AU5] a flipped bit in the file is refused, is reported for its record, or changes nothing", async (t) => {
  const outcomes = { refused: 0, reported: 0, harmless: 0 };
  for (const at of offsetsOf(join(inFile, "audit.db"))) {
    const found = await openDamaged(inFile, () => flip(main, at));
    if (typeof found === "string") {
      assert.match(found, /is damaged|cannot open|not an audit log of this program|newer version/, `flipped at ${at}`);
      outcomes.refused += 1;
      continue;
    }
    const isReported = found.rpcs.some((rpc) => rpc.includes("is damaged on disk"));
    assert.equal(found.rpcs.length, 3, `flipped at ${at}`);
    assert.ok(
      found.rpcs.every((rpc, n) => rpc === whole[n] || rpc.includes("is damaged on disk")),
      `flipped at ${at}`,
    );
    assert.ok(!isReported || !found.isWhole, `flipped at ${at}: audit verify finds the reported damage`);
    outcomes[isReported ? "reported" : "harmless"] += 1;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.ok(outcomes.refused > 0);
});
