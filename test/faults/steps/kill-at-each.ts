import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { openJournalHistoryReader } from "@realmwatch/agent/journal/history/history-reader";
import { openJournalForReading } from "@realmwatch/agent/journal/schema/journal-schema";
import { openJournalStore } from "@realmwatch/agent/journal/write/journal-store";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { fileOperations } from "./file-operations.ts";
import { killAtSyscall, memoryFolder, runTraced, type TracedExit, tracedSyscalls } from "./strace.ts";

/** Program to kill at each step, and the assertions on its folder. */
type KilledProgram = {
  readonly words: (folder: string) => readonly string[];
  /** Names of the files within the folder whose calls count as steps. */
  readonly files: readonly string[];
  readonly prepare: (folder: string) => void;
  readonly verify: (folder: string, end: TracedExit) => Promise<void> | void;
};

/** Temporary folder in memory; removed after the test. */
export function stepFolder(t: TestContext): string {
  const folder = mkdtempSync(join(memoryFolder, "realmwatch-steps-"));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Step between the database writes that are tried; `npm run test:soak` tries every one. */
const writeStep = Number(process.env["REALMWATCH_EVERY"] ?? 4);

/** Kills the program right before each step, a system call on its files. Resolves to the number of kills. */
export async function killAtEach(t: TestContext, { words, files, prepare, verify }: KilledProgram): Promise<number> {
  const place = stepFolder(t);
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
  await run("nothing", (folder) =>
    runTraced({ module: fileOperations, words: words(folder), files: [folder], inject: [] }),
  );
  let kills = 0;
  const kinds = [...tracedSyscalls];
  const work = async (): Promise<void> => {
    for (let step = kinds.shift(); step !== undefined; step = kinds.shift())
      for (let when = 1; ; when += step === "pwrite64" ? writeStep : 1) {
        const wanted = step;
        const killed = await run(`${step} ${when}`, (folder) =>
          killAtSyscall(
            { module: fileOperations, words: words(folder), files: files.map((file) => join(folder, file)) },
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

/** Names in the lines `certain KIND NAME` that the program printed before it ended. */
export const certainOf = ({ stdout }: TracedExit, kind: string): string[] =>
  [...stdout.matchAll(/^certain (\S+) ?(\S*)$/gm)].flatMap(([, found, name]) => (found === kind ? [name ?? ""] : []));

/** Names of SQLite databases with those of their log and journal files. */
export const databases = (...names: string[]): string[] =>
  names.flatMap((name) => ["", "-wal", "-shm", "-journal"].map((suffix) => name + suffix));

/** Content of a journal, read as its threads do. Throws when it does not open. */
export function readJournal(dataDir: string) {
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

/** Asserts that a folder has no other files than those. */
export const assertOnlyFiles = (folder: string, names: readonly string[]): void =>
  assert.deepEqual(
    readdirSync(folder).filter((name) => !names.includes(name)),
    [],
  );
