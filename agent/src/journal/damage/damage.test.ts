import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { makeDamageFolder, type DataDirFiles, type JournalContents, leaveThreeCommits, readJournalContents, writeDataDir } from "./damage.fixture.ts";

const folder = makeDamageFolder();
after(() => rmSync(folder, { recursive: true, force: true }));
const inLog = leaveThreeCommits(folder, "log");
const inFile = leaveThreeCommits(folder, "file");
const [main, log] = ["journal.db", "journal.db-wal"];

/** A prime: one byte of so many is harmed, and those near the seams; `npm run test:soak` harms every one. */
const every = Number(process.env["REALMWATCH_EVERY"] ?? 61);

function look(files: DataDirFiles, harmed: Readonly<Record<string, Buffer | undefined>> = {}): JournalContents | string {
  const dataDir = join(folder, "tried");
  const left = Object.entries({ ...files, ...harmed }).flatMap(([name, bytes]) => (bytes ? [[name, bytes]] : []));
  writeDataDir(dataDir, Object.fromEntries(left));
  return readJournalContents(dataDir);
}

function lookWhole(files: DataDirFiles): JournalContents {
  const found = look(files);
  return typeof found === "string" ? assert.fail(found) : found;
}

const bytesOf = (files: DataDirFiles, name: string): Buffer => files[name] ?? assert.fail(`no ${name}`);
const whole = ["one", "two", "three"];
/** The frames of the log have 24 bytes before their page. */
const frameBytes = 24 + 512;
const isNearSeam = (at: number): boolean =>
  at < 34 || (at - 32) % frameBytes < 26 || (at - 32) % frameBytes > frameBytes - 3;
const placesOf = (bytes: Buffer): number[] =>
  Array.from(bytes, (_, at) => at).filter((at) => at % every === 0 || isNearSeam(at));

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
  return copy;
}

/** What is there is the beginning of all there was; what is not is told to be lost. */
function isBeginning(found: JournalContents | string, where: string): JournalContents {
  if (typeof found === "string") return assert.fail(`${where}: ${found}`);
  assert.deepEqual(found.commands, whole.slice(0, found.commands.length), where);
  assert.equal(
    found.missing === undefined,
    found.commands.length === whole.length,
    `${where}: a loss is told, and nothing else`,
  );
  assert.ok(!found.history.includes(undefined) && !found.audit.includes(undefined), where);
  return found;
}

test("[F30] [DU6] a log that is torn anywhere loses what was torn off and nothing before it, and says so", () => {
  const bytes = bytesOf(inLog, log);
  assert.deepEqual(lookWhole(inLog).commands, whole);
  let least = 3;
  for (const cut of placesOf(bytes).reverse()) {
    const { commands } = isBeginning(look(inLog, { [log]: bytes.subarray(0, cut) }), `cut at ${cut}`);
    assert.ok(commands.length <= least && commands.length >= least - 1, `cut at ${cut}`);
    least = commands.length;
  }
  assert.equal(least, 0);
});

test("[F30] zeros behind the log harm nothing, and zeros in place of its tail lose the tail only", () => {
  const bytes = bytesOf(inLog, log);
  for (const more of [1, 23, 24, 512, 536, 4096, 8192])
    assert.deepEqual(look(inLog, { [log]: Buffer.concat([bytes, Buffer.alloc(more)]) }), lookWhole(inLog));
  for (const from of placesOf(bytes)) {
    if (from <= 32 || from % every !== 0) continue;
    const zeroed = Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)]);
    const cut = isBeginning(look(inLog, { [log]: bytes.subarray(0, from) }), `cut at ${from}`);
    const found = isBeginning(look(inLog, { [log]: zeroed }), `zeros from ${from}`);
    // Where the bytes that were cut off are zeros anyway a frame is whole with the zeros.
    assert.ok(found.commands.length >= cut.commands.length && found.commands.length <= cut.commands.length + 1);
  }
});

test("[F30] a bit that is flipped in the log is refused, or was in the last commit, which alone is lost, and told", () => {
  const bytes = bytesOf(inLog, log);
  const outcomes = { refused: 0, lastLost: 0, harmless: 0 };
  for (const at of placesOf(bytes)) {
    const found = look(inLog, { [log]: flipped(bytes, at) });
    if (typeof found === "string") {
      assert.match(found, /is damaged/);
      outcomes.refused++;
      continue;
    }
    const { commands } = isBeginning(found, `flipped at ${at}`);
    assert.ok(commands.length >= 2, `flipped at ${at}`);
    if (commands.length === 2) outcomes.lastLost++;
    else outcomes.harmless++;
  }
  assert.ok(outcomes.refused > outcomes.lastLost && outcomes.lastLost > 0, JSON.stringify(outcomes));
});

test("[DU8] [F30] a bit that is flipped in the file is refused, is told of the record it was in, or changes nothing", (t) => {
  const sound = lookWhole(inFile);
  const bytes = bytesOf(inFile, main);
  const outcomes = { refused: 0, told: 0, harmless: 0 };
  const onlyTold = (found: JournalContents["history"], wanted: JournalContents["history"]): boolean =>
    found.length === wanted.length && found.every((json, n) => json === undefined || json === wanted[n]);
  for (const at of placesOf(bytes)) {
    const found = look(inFile, { [main]: flipped(bytes, at) });
    if (typeof found === "string") {
      assert.match(
        found,
        /is damaged|cannot open the journal|no journal of this program|newer version|belongs to realm/,
        `flipped at ${at}`,
      );
      outcomes.refused++;
      continue;
    }
    const { history, audit, ...rest } = found;
    assert.deepEqual({ ...rest, history: [], audit: [] }, { ...sound, history: [], audit: [] }, `flipped at ${at}`);
    assert.ok(onlyTold(history, sound.history) && onlyTold(audit, sound.audit), `flipped at ${at}`);
    if ([...history, ...audit].includes(undefined)) outcomes.told++;
    else outcomes.harmless++;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.ok(outcomes.refused > 0 && outcomes.told > 0, JSON.stringify(outcomes));
});

const empty = Buffer.alloc(0);
const rubbish = Buffer.alloc(4096, "rubbish ");
const lost: readonly (readonly [what: string, files: DataDirFiles, harmed: Parameters<typeof look>[1], found: RegExp])[] = [
  ["a log that is missing", inLog, { [log]: undefined }, /^lost$/],
  ["a log that is empty", inLog, { [log]: empty }, /^lost$/],
  ["a log that is missing and was written back", inFile, { [log]: undefined }, /^whole$/],
  ["an index of the log that is empty", inLog, { "journal.db-shm": empty }, /^whole$/],
  ["an index of the log that is rubbish", inLog, { "journal.db-shm": rubbish }, /^whole$/],
  ["a file that is missing beside its log", inLog, { [main]: undefined }, /its write-ahead log is there/],
  ["a file that is empty beside its log", inLog, { [main]: empty }, /its write-ahead log is there/],
  ["a file and a log that are missing", inFile, { [main]: undefined, [log]: undefined }, /^lost$/],
  ["a file that is empty", inFile, { [main]: empty, [log]: undefined }, /^lost$/],
  ["a file that is rubbish", inFile, { [main]: rubbish, [log]: undefined }, /is damaged/],
  ["a file that was cut", inFile, { [main]: bytesOf(inFile, main).subarray(0, -600) }, /is damaged/],
  ["cursors that are missing", inLog, { "cursors.db": undefined, "cursors.db-wal": undefined }, /^whole$/],
  ["cursors that are rubbish", inLog, { "cursors.db": rubbish, "cursors.db-wal": undefined }, /cursors.db is damaged/],
];
for (const [what, files, harmed, wanted] of lost)
  test(`[F30] ${what}: ${wanted.source.replace(/[\^$]/g, "")}`, () => {
    const found = look(files, harmed);
    const isWhole = typeof found !== "string" && found.missing === undefined && found.commands.length === 3;
    const isLost = typeof found !== "string" && found.missing !== undefined && found.commands.length === 0;
    assert.match(isWhole ? "whole" : isLost ? "lost" : JSON.stringify(found), wanted);
  });
