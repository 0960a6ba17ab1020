import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  type DataDirFiles,
  type JournalContents,
  leaveThreeCommits,
  makeDamageFolder,
  readJournalContents,
  writeDataDir,
} from "./damage.fixture.ts";

const folder = makeDamageFolder();
after(() => rmSync(folder, { recursive: true, force: true }));
const inLog = leaveThreeCommits(folder, "log");
const inFile = leaveThreeCommits(folder, "file");
const [main, log] = ["journal.db", "journal.db-wal"];

/** Damages one byte in so many (a prime), and those near frame boundaries; `npm run test:soak` damages every byte. */
const every = Number(process.env["REALMWATCH_EVERY"] ?? 61);

function readWith(
  files: DataDirFiles,
  damaged: Readonly<Record<string, Buffer | undefined>> = {},
): JournalContents | string {
  const dataDir = join(folder, "tried");
  const left = Object.entries({ ...files, ...damaged }).flatMap(([name, bytes]) => (bytes ? [[name, bytes]] : []));
  writeDataDir(dataDir, Object.fromEntries(left));
  return readJournalContents(dataDir);
}

function readIntact(files: DataDirFiles): JournalContents {
  const found = readWith(files);
  return typeof found === "string" ? assert.fail(found) : found;
}

const bytesOf = (files: DataDirFiles, name: string): Buffer => files[name] ?? assert.fail(`no ${name}`);
const allCommands = ["one", "two", "three"];
/** Size of a frame of the log: a header of 24 bytes and a page. */
const frameBytes = 24 + 512;
const isNearBoundary = (at: number): boolean =>
  at < 34 || (at - 32) % frameBytes < 26 || (at - 32) % frameBytes > frameBytes - 3;
const offsetsOf = (bytes: Buffer): number[] =>
  Array.from(bytes, (_, at) => at).filter((at) => at % every === 0 || isNearBoundary(at));

function flipped(bytes: Buffer, at: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8));
  return copy;
}

/** Asserts that the found records are the first of those written, and that lost ones are reported. */
function assertPrefix(found: JournalContents | string, where: string): JournalContents {
  if (typeof found === "string") return assert.fail(`${where}: ${found}`);
  assert.deepEqual(found.commands, allCommands.slice(0, found.commands.length), where);
  assert.equal(
    found.missing === undefined,
    found.commands.length === allCommands.length,
    `${where}: exactly a loss is reported`,
  );
  assert.ok(!found.history.includes(undefined) && !found.audit.includes(undefined), where);
  return found;
}

test("[DU6] a log truncated anywhere loses the truncated records only, and reports the loss", () => {
  const bytes = bytesOf(inLog, log);
  assert.deepEqual(readIntact(inLog).commands, allCommands);
  let least = 3;
  for (const cut of offsetsOf(bytes).reverse()) {
    const { commands } = assertPrefix(readWith(inLog, { [log]: bytes.subarray(0, cut) }), `cut at ${cut}`);
    assert.ok(commands.length <= least && commands.length >= least - 1, `cut at ${cut}`);
    least = commands.length;
  }
  assert.equal(least, 0);
});

test("[DU8] zeros after the log have no effect, and zeros in place of its tail lose the tail only", () => {
  const bytes = bytesOf(inLog, log);
  for (const more of [1, 23, 24, 512, 536, 4096, 8192])
    assert.deepEqual(readWith(inLog, { [log]: Buffer.concat([bytes, Buffer.alloc(more)]) }), readIntact(inLog));
  for (const from of offsetsOf(bytes)) {
    if (from <= 32 || from % every !== 0) continue;
    const zeroed = Buffer.concat([bytes.subarray(0, from), Buffer.alloc(bytes.length - from)]);
    const cut = assertPrefix(readWith(inLog, { [log]: bytes.subarray(0, from) }), `cut at ${from}`);
    const found = assertPrefix(readWith(inLog, { [log]: zeroed }), `zeros from ${from}`);
    // When the truncated bytes were zeros anyway, the zeros complete the frame.
    assert.ok(found.commands.length >= cut.commands.length && found.commands.length <= cut.commands.length + 1);
  }
});

test("[DU8] a flipped bit in the log is refused, or was in the last commit, which alone is lost and reported", () => {
  const bytes = bytesOf(inLog, log);
  const outcomes = { refused: 0, lastLost: 0, unaffected: 0 };
  for (const at of offsetsOf(bytes)) {
    const found = readWith(inLog, { [log]: flipped(bytes, at) });
    if (typeof found === "string") {
      assert.match(found, /is damaged/);
      outcomes.refused++;
      continue;
    }
    const { commands } = assertPrefix(found, `flipped at ${at}`);
    assert.ok(commands.length >= 2, `flipped at ${at}`);
    if (commands.length === 2) outcomes.lastLost++;
    else outcomes.unaffected++;
  }
  assert.ok(outcomes.refused > outcomes.lastLost && outcomes.lastLost > 0, JSON.stringify(outcomes));
});

test("[DU8] a flipped bit in the database is refused, is reported with its record, or changes nothing", (t) => {
  const sound = readIntact(inFile);
  const bytes = bytesOf(inFile, main);
  const outcomes = { refused: 0, reported: 0, unaffected: 0 };
  const onlyReported = (found: JournalContents["history"], wanted: JournalContents["history"]): boolean =>
    found.length === wanted.length && found.every((json, n) => json === undefined || json === wanted[n]);
  for (const at of offsetsOf(bytes)) {
    const found = readWith(inFile, { [main]: flipped(bytes, at) });
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
    assert.ok(onlyReported(history, sound.history) && onlyReported(audit, sound.audit), `flipped at ${at}`);
    if ([...history, ...audit].includes(undefined)) outcomes.reported++;
    else outcomes.unaffected++;
  }
  t.diagnostic(JSON.stringify(outcomes));
  assert.ok(outcomes.refused > 0 && outcomes.reported > 0, JSON.stringify(outcomes));
});

const empty = Buffer.alloc(0);
const garbage = Buffer.alloc(4096, "garbage ");
const lost: readonly (readonly [
  what: string,
  files: DataDirFiles,
  damaged: Parameters<typeof readWith>[1],
  found: RegExp,
])[] = [
  ["a missing log", inLog, { [log]: undefined }, /^lost$/],
  ["a log that is empty", inLog, { [log]: empty }, /^lost$/],
  ["a log that is missing and was written back", inFile, { [log]: undefined }, /^intact$/],
  ["an index of the log that is empty", inLog, { "journal.db-shm": empty }, /^intact$/],
  ["an index of the log that is garbage", inLog, { "journal.db-shm": garbage }, /^intact$/],
  ["a file that is missing beside its log", inLog, { [main]: undefined }, /its write-ahead log is there/],
  ["a file that is empty beside its log", inLog, { [main]: empty }, /its write-ahead log is there/],
  ["a file and a log that are missing", inFile, { [main]: undefined, [log]: undefined }, /^lost$/],
  ["a file that is empty", inFile, { [main]: empty, [log]: undefined }, /^lost$/],
  ["a file that is garbage", inFile, { [main]: garbage, [log]: undefined }, /is damaged/],
  ["a file that was cut", inFile, { [main]: bytesOf(inFile, main).subarray(0, -600) }, /is damaged/],
  ["cursors that are missing", inLog, { "cursors.db": undefined, "cursors.db-wal": undefined }, /^intact$/],
  ["cursors that are garbage", inLog, { "cursors.db": garbage, "cursors.db-wal": undefined }, /cursors.db is damaged/],
];
for (const [what, files, damaged, wanted] of lost)
  test(`${what}: ${wanted.source.replace(/[\^$]/g, "")}`, () => {
    const found = readWith(files, damaged);
    const isIntact = typeof found !== "string" && found.missing === undefined && found.commands.length === 3;
    const isLost = typeof found !== "string" && found.missing !== undefined && found.commands.length === 0;
    assert.match(isIntact ? "intact" : isLost ? "lost" : JSON.stringify(found), wanted);
  });
