import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { openJournalHistoryReader } from "@realmwatch/agent/journal/history/history-reader";
import { openJournalForReading } from "@realmwatch/agent/journal/schema/journal-schema";
import { openJournalStore } from "@realmwatch/agent/journal/write/open-journal-store";
import { finishInterruptedReplace } from "@realmwatch/agent/platform/files/text-file";
import { openAuditStore } from "@realmwatch/shared/audit/audit-store";
import { verifyAudit } from "@realmwatch/shared/audit/verify-audit";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { killAtSyscall, memoryFolder, runTraced, tracedSyscalls, type TracedExit, straceSkipReason } from "./strace.ts";

const child = fileURLToPath(new URL("./file-operations.child.ts", import.meta.url));
const noTrace = straceSkipReason();

/** What the program does, and how its folder is found after it was killed in the middle. */
type Killed = {
  readonly words: (folder: string) => readonly string[];
  /** Names within the folder. */
  readonly files: readonly string[];
  readonly prepare: (folder: string) => void;
  readonly look: (folder: string, end: TracedExit) => Promise<void> | void;
};

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(memoryFolder, "realmwatch-steps-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** One write to a database of so many, since each is between two others; `npm run test:soak` takes every one. */
const everyWrite = Number(process.env["REALMWATCH_EVERY"] ?? 4);

/** Kills the program right before each step that it takes with its files; how many there were. */
async function killAtEach(t: TestContext, { words, files, prepare, look }: Killed): Promise<number> {
  const place = folderFor(t);
  const run = async (name: string, start: (folder: string) => Promise<TracedExit>): Promise<boolean> => {
    const folder = join(place, name);
    mkdirSync(folder);
    prepare(folder);
    const end = await start(folder);
    if (end.code !== undefined && end.code !== 0) assert.fail(`${name}: ${end.stderr}`);
    try {
      await look(folder, end);
    } catch (error) {
      throw new Error(`killed before ${name}`, { cause: error });
    }
    return end.code === undefined;
  };
  await run("nothing", (folder) => runTraced({ module: child, words: words(folder), files: [folder], inject: [] }));
  let kills = 0;
  const kinds = [...tracedSyscalls];
  const lane = async (): Promise<void> => {
    for (let step = kinds.shift(); step !== undefined; step = kinds.shift())
      for (let when = 1; ; when += step === "pwrite64" ? everyWrite : 1) {
        const wanted = step;
        const killed = await run(`${step} ${when}`, (folder) =>
          killAtSyscall(
            { module: child, words: words(folder), files: files.map((file) => join(folder, file)) },
            wanted,
            when,
          ),
        );
        if (!killed) break;
        kills += 1;
      }
  };
  await Promise.all([lane(), lane()]);
  t.diagnostic(`${kills} kills`);
  return kills;
}

const certainOf = ({ stdout }: TracedExit, kind: string): string[] =>
  [...stdout.matchAll(/^certain (\S+) ?(\S*)$/gm)].flatMap(([, found, name]) => (found === kind ? [name ?? ""] : []));

const databases = (...names: string[]): string[] =>
  names.flatMap((name) => ["", "-wal", "-shm", "-journal"].map((suffix) => name + suffix));
const journalFiles = databases("journal.db", "cursors.db");

function isSound(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    assert.deepEqual(db.prepare("PRAGMA integrity_check").all().map(Object.values), [["ok"]], path);
  } finally {
    db.close();
  }
}

/** What a journal gives back, as its threads read it. Throws where it does not open. */
function readJournal(dataDir: string) {
  const opened = openJournalStore({ dataDir, realm: "r" });
  if (!opened.ok) assert.fail(opened.error);
  const store = opened.value;
  const reader = openJournalHistoryReader(openJournalForReading(dataDir));
  try {
    const { states } = store.states(0, 1_000);
    const history = reader.after(0, 1_000).map(({ json }) => JSON.parse(json ?? "") as HistoryEntry);
    return { ...store.recover(0), states, history, takes: store.write([{ kind: "probe" }]) };
  } finally {
    reader.close();
    store.close();
  }
}

/** The journal opens, is whole, and has what it had before, all that is certain and nothing by halves. */
function journalHolds(dataDir: string, before: number, end: TracedExit): void {
  const { commands, states, history, program, missing, lastCommandSeq, lastHistorySeq, takes } = readJournal(dataDir);
  assert.equal(missing, undefined);
  assert.deepEqual(takes, [{ ok: true, value: 0 }]);
  const numbers = Array.from({ length: lastCommandSeq }, (_, n) => n + 1);
  const texts = commands.map(({ json }) => (JSON.parse(json) as AcceptedCommand).command);
  assert.deepEqual(
    texts.map((command, n) => [commands[n]?.seq, command.kind === "add_comment" && command.text]),
    numbers.map((n) => [n, `${n}`]),
  );
  const certain = certainOf(end, "command").length;
  assert.ok(lastCommandSeq >= before + certain && lastCommandSeq <= before + certain + 1);
  assert.deepEqual(
    states.map(([ref, json]) => [ref, json.length > 500]),
    states.map((_, n) => [`h${n + 1}`, true]),
  );
  assert.ok(states.length >= before + certainOf(end, "state").length);
  assert.equal(program, states.length === 0 ? undefined : JSON.stringify({ text: `${states.length}` }));
  // Old ones go with retention; what is young stays, in order and without a hole.
  assert.deepEqual(
    history.filter(({ atMs }) => atMs > 1_000).map(({ comment }) => comment),
    states.map((_, n) => `${n + 1}`),
  );
  assert.equal(lastHistorySeq, states.length * 2);
  const audit = verifyAudit(dataDir);
  assert.ok(audit.ok, JSON.stringify(audit));
  assert.equal(audit.value.head.seq, lastCommandSeq);
  isSound(join(dataDir, "journal.db"));
  hasOnly(dataDir, journalFiles);
}

const hasOnly = (folder: string, names: readonly string[]): void =>
  assert.deepEqual(
    readdirSync(folder).filter((name) => !names.includes(name)),
    [],
  );

const journalIn = (folder: string): readonly string[] => ["journal", folder, "1"];

test("[F04] [I1] a journal that is killed at any step of its making has all that was certain", {
  skip: noTrace,
}, async (t) => {
  const kills = await killAtEach(t, {
    words: journalIn,
    files: journalFiles,
    prepare: () => undefined,
    look: (folder, end) => journalHolds(folder, 0, end),
  });
  assert.ok(kills > 50, `${kills}`);
});

test("[F04] [I1] killed at any step of recovering, committing, trimming and writing its log back it has the old and all that was certain", {
  skip: noTrace,
}, async (t) => {
  const left = folderFor(t);
  // It ends in the middle of its fifth round: all that it did is in the log, for the next one to recover.
  const files = [join(left, "journal.db-wal")];
  const killed = await runTraced({
    module: child,
    words: ["journal", left, "5"],
    files,
    inject: ["fsync,fdatasync:signal=KILL:when=9"],
  });
  assert.equal(killed.code, undefined);
  const before = certainOf(killed, "command").length;
  assert.ok(before >= 2 && existsSync(files[0] ?? ""), killed.stdout);
  const kills = await killAtEach(t, {
    words: journalIn,
    files: journalFiles,
    prepare: (folder) => cpSync(left, folder, { recursive: true }),
    look: (folder, end) => journalHolds(folder, before, end),
  });
  assert.ok(kills > 40, `${kills}`);
});

test("[F04] [AU10] an aggregator's audit log that is killed at any step has the records that were certain", {
  skip: noTrace,
}, async (t) => {
  const left = folderFor(t);
  const files = databases("audit.db", "audit-lock.db");
  const log = [join(left, "audit.db-wal")];
  const killed = await runTraced({
    module: child,
    words: ["audit", left, "a"],
    files: log,
    inject: ["fsync,fdatasync:signal=KILL:when=4"],
  });
  const before = certainOf(killed, "record");
  assert.ok(before.length > 0 && before.length < 3, killed.stdout);
  const kills = await killAtEach(t, {
    words: (folder) => ["audit", folder, "b"],
    files,
    prepare: (folder) => cpSync(left, folder, { recursive: true }),
    async look(folder, end) {
      const opened = await openAuditStore({ dataDir: folder, retentionMs: 1e15, clock: systemClock });
      if (!opened.ok) assert.fail(opened.error);
      const found = await opened.value.auditRecords({ sinceMs: undefined, limit: 100 });
      await opened.value.close();
      const rpcs = found.ok ? found.value.map(({ rpc }) => rpc).reverse() : [];
      const young = rpcs.filter((rpc) => rpc !== "old");
      const certain = [...before, ...certainOf(end, "record")];
      // One that was on its way may have come to pass, of each of the two that were killed.
      assert.deepEqual(
        young.filter((rpc) => certain.includes(rpc)),
        certain,
      );
      assert.ok(young.length <= certain.length + 2, young.join());
      const verified = verifyAudit(folder);
      assert.ok(verified.ok, JSON.stringify(verified));
      isSound(join(folder, "audit.db"));
      hasOnly(folder, files);
    },
  });
  assert.ok(kills > 30, `${kills}`);
});

const [oldText, newText] = ["the old one", "n"];
/** What `file` is: the old one whole, the new one whole, or neither. */
function whichFile(folder: string, wanted: string): "old" | "new" {
  const found = readFileSync(join(folder, "file"), "utf8");
  if (found === oldText) return "old";
  assert.equal(found, wanted);
  return "new";
}

const files: readonly (readonly [what: string, program: string, wanted: string])[] = [
  ["a snapshot", "snapshot", newText + newText.repeat(40_000) + newText],
  ["a configuration", "config", newText],
];
for (const [what, program, wanted] of files)
  test(`[F04] ${what} that is killed at any step is the old or the new one, and nothing piles up`, {
    skip: noTrace,
  }, async (t) => {
    const shared = folderFor(t);
    writeFileSync(join(shared, "file.new"), "left by one that was killed");
    const kills = await killAtEach(t, {
      words: (folder) => [program, folder, newText],
      files: [".", "file", "file.new"],
      prepare(folder) {
        cpSync(shared, folder, { recursive: true });
        writeFileSync(join(folder, "file"), oldText);
      },
      look(folder, end) {
        const found = whichFile(folder, wanted);
        if (certainOf(end, "file").length > 0) assert.equal(found, "new");
        hasOnly(folder, end.code === 0 ? ["file"] : ["file", "file.new"]);
        // The next one finds what this one left.
        rmSync(shared, { recursive: true });
        cpSync(folder, shared, { recursive: true });
      },
    });
    assert.ok(kills >= 7, `${kills}`);
  });

test("[F04] [DU5] a backup that is killed at any step is the old or the new one, and the next one is not disturbed", {
  skip: noTrace,
}, async (t) => {
  const made = folderFor(t);
  mkdirSync(join(made, "data"));
  const filled = await runTraced({
    module: child,
    words: ["journal", join(made, "data"), "2"],
    files: [made],
    inject: [],
  });
  assert.equal(filled.code, 0, filled.stderr);
  writeFileSync(join(made, "file"), oldText);
  const names = ["data", ...databases("file.new"), "file"];
  const kills = await killAtEach(t, {
    words: (folder) => ["backup", folder],
    files: [".", "file", ...databases("file.new")],
    prepare: (folder) => cpSync(made, folder, { recursive: true }),
    look(folder, end) {
      hasOnly(folder, end.code === 0 ? ["data", "file"] : names);
      const isOld = readFileSync(join(folder, "file"), "latin1") === oldText;
      if (certainOf(end, "file").length > 0) assert.ok(!isOld);
      if (!isOld) {
        const dataDir = join(folder, "restored");
        mkdirSync(dataDir);
        cpSync(join(folder, "file"), join(dataDir, "journal.db"));
        assert.equal(readJournal(dataDir).commands.length, 2);
        rmSync(dataDir, { recursive: true });
      }
      // What the next one finds beside its place is what this one left there.
      for (const name of databases("file.new")) {
        rmSync(join(made, name), { force: true });
        if (existsSync(join(folder, name))) cpSync(join(folder, name), join(made, name));
      }
    },
  });
  assert.ok(kills > 10, `${kills}`);
});

test("[F04] [I12] a configuration that is a mount of its own, killed at any step, is whole after the next start", {
  skip: noTrace ?? (process.getuid?.() === 0 ? undefined : "needs root, to mount a file over itself"),
}, async (t) => {
  const mounted: string[] = [];
  const unmount = (file: string) => spawnSync("umount", ["-l", file]);
  t.after(() => mounted.forEach(unmount));
  const probe = join(folderFor(t), "file");
  writeFileSync(probe, "");
  if (spawnSync("mount", ["--bind", probe, probe]).status !== 0) return t.skip("may not mount a file");
  mounted.push(probe);
  const wanted = newText.repeat(9);
  const inPlace = async (program: "config" | "finish", prepare: (folder: string) => void): Promise<number> =>
    killAtEach(t, {
      words: (folder) => [program, folder, wanted],
      files: [".", "file", "file.new", "file.replacing"],
      prepare(folder) {
        const file = join(folder, "file");
        writeFileSync(file, oldText);
        prepare(folder);
        assert.equal(spawnSync("mount", ["--bind", file, file]).status, 0);
        mounted.push(file);
      },
      async look(folder, end) {
        // What the agent does at its start, once more for one that was killed in that itself.
        await finishInterruptedReplace(join(folder, "file"));
        const found = whichFile(folder, wanted);
        if (certainOf(end, "file").length > 0 || program === "finish") assert.equal(found, "new");
        hasOnly(folder, ["file", "file.new"]);
        unmount(join(folder, "file"));
      },
    });
  assert.ok((await inPlace("config", () => undefined)) >= 12);
  const interrupted = (folder: string): void => {
    writeFileSync(join(folder, "file.replacing"), wanted);
    writeFileSync(join(folder, "file"), wanted.slice(0, 4));
  };
  assert.ok((await inPlace("finish", interrupted)) >= 9);
});
