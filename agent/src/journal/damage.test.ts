import assert from "node:assert/strict";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { type JournalWorkerData, journalFile } from "./journal-protocol.ts";
import { openJournalFile } from "./journal-schema.ts";
import { type JournalStore, journalStore } from "./journal-store.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-damage-"));
after(() => rmSync(folder, { recursive: true, force: true }));
const made = join(folder, "made");
const tried = join(folder, "tried");
const [path, log] = [join(tried, journalFile), join(tried, `${journalFile}-wal`)];

const place = (dataDir: string): JournalWorkerData => ({ dataDir, realm: "r" });

function openStore(dataDir: string): JournalStore | string {
  const db = openJournalFile(place(dataDir));
  if (!db.ok) return db.error;
  const cursors = new DatabaseSync(":memory:");
  cursors.exec("CREATE TABLE cursor (name TEXT PRIMARY KEY, seq INTEGER NOT NULL) WITHOUT ROWID");
  const folder = { lock: cursors, logGone: false, close: () => cursors.close() };
  return journalStore(db.value, folder, dataDir);
}

const accept = (text: string) => ({ kind: "accept", json: JSON.stringify({ text }), audit: [] }) as const;

/** Three accepted commands, each in a commit of its own, as a killed process leaves them: all in the log. */
function leaveThree(): void {
  rmSync(made, { recursive: true, force: true });
  const live = mkdtempSync(join(folder, "live-"));
  const store = openStore(live);
  if (typeof store === "string") assert.fail(store);
  for (const text of ["one", "two", "three"]) store.write([accept(text)]);
  cpSync(live, made, { recursive: true });
  store.close();
}

const texts = (store: JournalStore): unknown[] =>
  store.recover(0).commands.map(({ json }) => (JSON.parse(json) as { text: string }).text);

/** What is found in a copy of `made` after `harm`: the commands, or the sentence that refuses. */
function look(harm: () => void): unknown[] | string {
  rmSync(tried, { recursive: true, force: true });
  cpSync(made, tried, { recursive: true });
  rmSync(`${path}-shm`, { force: true });
  harm();
  const store = openStore(tried);
  if (typeof store === "string") return store;
  try {
    return texts(store);
  } catch (error) {
    return `is damaged (${error instanceof Error ? error.message : error})`;
  } finally {
    store.close();
  }
}

const whole = ["one", "two", "three"];
/** Places at which the log is tried: each byte near the seams of its frames, and some between. */
function placesOf(bytes: number): number[] {
  const frame = 24 + 4096;
  const near = (at: number): boolean => (at - 32) % frame < 26 || (at - 32) % frame > frame - 3;
  return Array.from({ length: bytes }, (_, at) => at).filter((at) => at < 34 || near(at) || at % 509 === 0);
}

test("[F30] a log that is torn anywhere loses what was torn off and nothing before it", () => {
  leaveThree();
  const bytes = readFileSync(join(made, `${journalFile}-wal`));
  let least = 3;
  for (const cut of placesOf(bytes.length).reverse()) {
    const found = look(() => writeFileSync(log, bytes.subarray(0, cut)));
    // Nothing was promised before the tables were made: a log without them is that of a journal that begins.
    const kept = typeof found === "string" ? assert.fail(found) : found;
    assert.deepEqual(kept, whole.slice(0, kept.length), `cut at ${cut}`);
    assert.ok(kept.length <= least, `cut at ${cut}`);
    least = kept.length;
  }
  assert.equal(least, 0);
});

test("[F30] a log whose tail is zeros loses the tail only", () => {
  leaveThree();
  const bytes = readFileSync(join(made, `${journalFile}-wal`));
  for (let from = bytes.length - 8_000; from < bytes.length; from += 401) {
    const found = look(() =>
      writeFileSync(log, Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)])),
    );
    assert.ok(Array.isArray(found), String(found));
    assert.deepEqual(found, whole.slice(0, found.length));
    assert.ok(found.length >= 1);
  }
});

test("[F30] a bit that is flipped in the log is refused, or was in the last command, which alone is lost", () => {
  leaveThree();
  const bytes = readFileSync(join(made, `${journalFile}-wal`));
  const outcomes = { refused: 0, lastLost: 0, harmless: 0 };
  for (const at of placesOf(bytes.length)) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const found = look(() => writeFileSync(log, flipped));
    if (typeof found === "string") {
      assert.match(found, /is damaged/);
      outcomes.refused++;
    } else {
      assert.deepEqual(found, whole.slice(0, found.length));
      assert.ok(found.length >= 2, `flipped at ${at}: ${found.length}`);
      if (found.length === 2) outcomes.lastLost++;
      else outcomes.harmless++;
    }
  }
  assert.ok(outcomes.refused > outcomes.lastLost && outcomes.lastLost > 0, JSON.stringify(outcomes));
});

test("[F30] a bit that is flipped in the file is refused, or changes nothing that was kept", () => {
  leaveThree();
  const db = new DatabaseSync(join(made, journalFile));
  db.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  db.close();
  const bytes = readFileSync(join(made, journalFile));
  let refused = 0;
  for (let at = 0; at < bytes.length; at += 131) {
    const flipped = Buffer.from(bytes);
    flipped[at] = (flipped[at] ?? 0) ^ (1 << (at % 8));
    const found = look(() => writeFileSync(path, flipped));
    if (typeof found === "string") refused++;
    else assert.deepEqual(found, whole, `flipped at ${at}`);
  }
  assert.ok(refused > 0);
});
