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
import { killAtSyscall, memoryFolder, runTraced, straceSkipReason, type TracedExit, tracedSyscalls } from "./strace.ts";

const child = fileURLToPath(new URL("./file-operations.child.ts", import.meta.url));
const skipReason = straceSkipReason();

/** Program to kill at each step, and the assertions on its folder. */
type KilledProgram = {
  readonly words: (folder: string) => readonly string[];
  /** Names of the files within the folder whose calls count as steps. */
  readonly files: readonly string[];
  readonly prepare: (folder: string) => void;
  readonly verify: (folder: string, end: TracedExit) => Promise<void> | void;
};

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(memoryFolder, "realmwatch-steps-"));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Step between the database writes that are tried; `npm run test:soak` tries every one. */
const writeStep = Number(process.env["REALMWATCH_EVERY"] ?? 4);

/** Kills the program right before each step, a system call on its files. Resolves to the number of kills. */
async function killAtEach(t: TestContext, { words, files, prepare, verify }: KilledProgram): Promise<number> {
  const place = folderFor(t);
  const run = async (name: string, start: (folder: string) => Promise<TracedExit>): Promise<boolean> => {
    const folder = join(place, name);
    mkdirSync(folder);
    prepare(folder);
    const end = await start(folder);
    if (end.code !== undefined && end.code !== 0) assert.fail(`${name}: ${end.stderr}`);
    try {
      await verify(folder, end);
    } catch (error) {
      throw new Error(`killed before ${name}`, { cause: error });
    }
    return end.code === undefined;
  };
  await run("nothing", (folder) => runTraced({ module: child, words: words(folder), files: [folder], inject: [] }));
  let kills = 0;
  const kinds = [...tracedSyscalls];
  const work = async (): Promise<void> => {
    for (let step = kinds.shift(); step !== undefined; step = kinds.shift())
      for (let when = 1; ; when += step === "pwrite64" ? writeStep : 1) {
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
  await Promise.all([work(), work()]);
  t.diagnostic(`${kills} kills`);
  return kills;
}

const certainOf = ({ stdout }: TracedExit, kind: string): string[] =>
  [...stdout.matchAll(/^certain (\S+) ?(\S*)$/gm)].flatMap(([, found, name]) => (found === kind ? [name ?? ""] : []));

const databases = (...names: string[]): string[] =>
  names.flatMap((name) => ["", "-wal", "-shm", "-journal"].map((suffix) => name + suffix));
const journalFiles = databases("journal.db", "cursors.db");

function assertIntegrity(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    assert.deepEqual(db.prepare("PRAGMA integrity_check").all().map(Object.values), [["ok"]], path);
  } finally {
    db.close();
  }
}

/** Content of a journal, read as its threads do. Throws when it does not open. */
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

/** Asserts that the journal opens, is intact, and has all earlier data and all completed steps, none in part. */
function assertJournal(dataDir: string, before: number, end: TracedExit): void {
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
  // Retention deletes old records; newer ones stay, in order and without gaps.
  assert.deepEqual(
    history.filter(({ atMs }) => atMs > 1_000).map(({ comment }) => comment),
    states.map((_, n) => `${n + 1}`),
  );
  assert.equal(lastHistorySeq, states.length * 2);
  const audit = verifyAudit(dataDir);
  assert.ok(audit.ok, JSON.stringify(audit));
  assert.equal(audit.value.head.seq, lastCommandSeq);
  assertIntegrity(join(dataDir, "journal.db"));
  assertOnlyFiles(dataDir, journalFiles);
}

const assertOnlyFiles = (folder: string, names: readonly string[]): void =>
  assert.deepEqual(
    readdirSync(folder).filter((name) => !names.includes(name)),
    [],
  );

const journalIn = (folder: string): readonly string[] => ["journal", folder, "1"];

test("[DU14, DU12] a journal killed at any step of its creation has all completed commands", {
  skip: skipReason,
}, async (t) => {
  const kills = await killAtEach(t, {
    words: journalIn,
    files: journalFiles,
    prepare: () => undefined,
    verify: (folder, end) => assertJournal(folder, 0, end),
  });
  assert.ok(kills > 50, `${kills}`);
});

test("[DU14, DU12] a journal killed at any step of recovery, commit, retention and checkpoint has the earlier and all completed commands", {
  skip: skipReason,
}, async (t) => {
  const left = folderFor(t);
  // It is killed in its fifth round: all its writes are in the log, for the next start to recover.
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
    verify: (folder, end) => assertJournal(folder, before, end),
  });
  assert.ok(kills > 40, `${kills}`);
});

test("[DU14, AU10] an aggregator's audit log killed at any step has all completed records", {
  skip: skipReason,
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
    async verify(folder, end) {
      const opened = await openAuditStore({ dataDir: folder, retentionMs: 1e15, clock: systemClock });
      if (!opened.ok) assert.fail(opened.error);
      const found = await opened.value.auditRecords({ sinceMs: undefined, limit: 100 });
      await opened.value.close();
      const rpcs = found.ok ? found.value.map(({ rpc }) => rpc).reverse() : [];
      const young = rpcs.filter((rpc) => rpc !== "old");
      const certain = [...before, ...certainOf(end, "record")];
      // Each of the two kills interrupts one record at most, which may or may not be stored.
      assert.deepEqual(
        young.filter((rpc) => certain.includes(rpc)),
        certain,
      );
      assert.ok(young.length <= certain.length + 2, young.join());
      const verified = verifyAudit(folder);
      assert.ok(verified.ok, JSON.stringify(verified));
      assertIntegrity(join(folder, "audit.db"));
      assertOnlyFiles(folder, files);
    },
  });
  assert.ok(kills > 30, `${kills}`);
});

const [oldText, newText] = ["the old one", "n"];
/** Version that `file` is. Throws when it is neither complete version. */
function whichFile(folder: string, wanted: string): "old" | "new" {
  const found = readFileSync(join(folder, "file"), "utf8");
  if (found === oldText) return "old";
  assert.equal(found, wanted);
  return "new";
}

/** Name of the new file that is renamed to `file`; the child makes its random part constant. */
const besideFile = "file.0000000000000000.new";

const files: readonly (readonly [what: string, program: string, wanted: string])[] = [
  ["a snapshot", "snapshot", newText + newText.repeat(40_000) + newText],
  ["a configuration", "config", newText],
];
for (const [what, program, wanted] of files)
  test(`[DU14, DU4, RL10] ${what} killed at any step is the old or the new one, and no files accumulate`, {
    skip: skipReason,
  }, async (t) => {
    const shared = folderFor(t);
    writeFileSync(join(shared, besideFile), "left by a killed program");
    const kills = await killAtEach(t, {
      words: (folder) => [program, folder, newText],
      files: [".", "file", besideFile],
      prepare(folder) {
        cpSync(shared, folder, { recursive: true });
        writeFileSync(join(folder, "file"), oldText);
      },
      verify(folder, end) {
        const found = whichFile(folder, wanted);
        if (certainOf(end, "file").length > 0) assert.equal(found, "new");
        assertOnlyFiles(folder, end.code === 0 ? ["file"] : ["file", besideFile]);
        // The next run starts with the files that this one left.
        rmSync(shared, { recursive: true });
        cpSync(folder, shared, { recursive: true });
      },
    });
    assert.ok(kills >= 7, `${kills}`);
  });

test("[DU14, DU5] a backup killed at any step is the old or the new one, and the next one works", {
  skip: skipReason,
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
  const names = ["data", ...databases(besideFile), "file"];
  const kills = await killAtEach(t, {
    words: (folder) => ["backup", folder],
    files: [".", "file", ...databases(besideFile)],
    prepare: (folder) => cpSync(made, folder, { recursive: true }),
    verify(folder, end) {
      assertOnlyFiles(folder, end.code === 0 ? ["data", "file"] : names);
      const isOld = readFileSync(join(folder, "file"), "latin1") === oldText;
      if (certainOf(end, "file").length > 0) assert.ok(!isOld);
      if (!isOld) {
        const dataDir = join(folder, "restored");
        mkdirSync(dataDir);
        cpSync(join(folder, "file"), join(dataDir, "journal.db"));
        assert.equal(readJournal(dataDir).commands.length, 2);
        rmSync(dataDir, { recursive: true });
      }
      // The next run starts with the temporary files that this one left.
      for (const name of databases(besideFile)) {
        rmSync(join(made, name), { force: true });
        if (existsSync(join(folder, name))) cpSync(join(folder, name), join(made, name));
      }
    },
  });
  assert.ok(kills > 10, `${kills}`);
});

test("[RL11, RL10] a configuration that is a mount of its own, killed at any step, is complete after the next start", {
  skip: skipReason ?? (process.getuid?.() === 0 ? undefined : "needs root, to mount a file over itself"),
}, async (t) => {
  const mounted: string[] = [];
  const unmount = (file: string) => spawnSync("umount", ["-l", file]);
  t.after(() => mounted.forEach(unmount));
  const probe = join(folderFor(t), "file");
  writeFileSync(probe, "");
  if (spawnSync("mount", ["--bind", probe, probe]).status !== 0) return t.skip("mounting a file is not permitted");
  mounted.push(probe);
  const wanted = newText.repeat(9);
  const inPlace = async (program: "config" | "finish", prepare: (folder: string) => void): Promise<number> =>
    killAtEach(t, {
      words: (folder) => [program, folder, wanted],
      files: [".", "file", besideFile, "file.replacing"],
      prepare(folder) {
        const file = join(folder, "file");
        writeFileSync(file, oldText);
        prepare(folder);
        assert.equal(spawnSync("mount", ["--bind", file, file]).status, 0);
        mounted.push(file);
      },
      async verify(folder, end) {
        // As the agent does at its start; again for a run that was killed in it.
        await finishInterruptedReplace(join(folder, "file"));
        const found = whichFile(folder, wanted);
        if (certainOf(end, "file").length > 0 || program === "finish") assert.equal(found, "new");
        assertOnlyFiles(folder, ["file", besideFile]);
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
