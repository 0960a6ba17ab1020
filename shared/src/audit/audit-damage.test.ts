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
const [inLog, inFile, tried] = ["log", "file", "tried"].map((name) => join(folder, name)) as [string, string, string];
const [main, log] = [join(tried, "audit.db"), join(tried, "audit.db-wal")];
/** A prime: one byte of so many is harmed; `npm run test:soak` harms every third one. */
const every = Number(process.env["REALMWATCH_EVERY"] ?? 149);

const open = (dataDir: string) => openAuditStore({ dataDir, retentionMs: 1e15, clock: systemClock });
const record = (rpc: string): AuditRecord => ({
  ...{ atMs: 5, source: "api", peer: "", rpc, commandJson: "{}", outcome: "accepted" },
  ...{ requestId: "", onBehalfOf: "", reason: "", count: 1 },
});

/** Three records, each in a commit of its own: as a killed process leaves them in the log, and written back. */
async function leaveThree(): Promise<void> {
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
await leaveThree();

type Found = { readonly rpcs: readonly string[]; readonly lost: boolean; readonly isWhole: boolean };

/** The records, newest first, after `harm` to a copy; or the sentence that refuses. A damaged one says so. */
async function look(from: string, harm: () => void): Promise<Found | string> {
  rmSync(tried, { recursive: true, force: true });
  cpSync(from, tried, { recursive: true });
  rmSync(`${main}-shm`, { force: true });
  harm();
  const store = await open(tried);
  if (!store.ok) return store.error;
  const found = await store.value.auditRecords({ sinceMs: 0, limit: 10 });
  const { gap } = store.value;
  await store.value.close();
  if (!found.ok) return JSON.stringify(found.error);
  const rpcs = found.value.map(({ rpc, reason }) => (reason === "" ? rpc : reason));
  return { rpcs, lost: gap !== undefined, isWhole: verifyAudit(tried).ok };
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  writeFileSync(path, bytes);
}

const placesOf = (path: string): number[] =>
  Array.from(readFileSync(path), (_, at) => at).filter((at) => at % every === 0);
const whole = ["three", "two", "one"];

test("[F30] [AU5] an audit log that is torn or flipped loses its torn tail and says so, or is refused", async () => {
  const path = join(inLog, "audit.db-wal");
  for (const at of placesOf(path)) {
    const torn = await look(inLog, () => writeFileSync(log, readFileSync(path).subarray(0, at)));
    if (typeof torn === "string") assert.fail(`cut at ${at}: ${torn}`);
    assert.deepEqual(torn.rpcs, whole.slice(3 - torn.rpcs.length), `cut at ${at}`);
    assert.deepEqual([torn.lost, torn.isWhole], [torn.rpcs.length < 3, true], `cut at ${at}`);
    const flipped = await look(inLog, () => flip(log, at));
    if (typeof flipped === "string") assert.match(flipped, /is damaged/);
    else assert.deepEqual([flipped.rpcs, flipped.lost], flipped.lost ? [whole.slice(1), true] : [whole, false]);
  }
});

test("[F30] [AU5] a bit that is flipped in the file is refused, is told of its record, or changes nothing", async (t) => {
  const outcomes = { refused: 0, told: 0, harmless: 0 };
  for (const at of placesOf(join(inFile, "audit.db"))) {
    const found = await look(inFile, () => flip(main, at));
    if (typeof found === "string") {
      assert.match(found, /is damaged|cannot open|no audit log of this program|newer version/, `flipped at ${at}`);
      outcomes.refused += 1;
      continue;
    }
    const isTold = found.rpcs.some((rpc) => rpc.includes("is damaged on disk"));
    assert.equal(found.rpcs.length, 3, `flipped at ${at}`);
    assert.ok(
      found.rpcs.every((rpc, n) => rpc === whole[n] || rpc.includes("is damaged on disk")),
      `flipped at ${at}`,
    );
    assert.ok(!isTold || !found.isWhole, `flipped at ${at}: audit verify finds what is told`);
    outcomes[isTold ? "told" : "harmless"] += 1;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.ok(outcomes.refused > 0);
});
