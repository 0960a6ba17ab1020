import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { finishInterruptedReplace } from "@realmwatch/agent/platform/files/text-file";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { fileOperations } from "./file-operations.ts";
import { assertOnlyFiles, certainOf, databases, killAtEach, readJournal, stepFolder } from "./kill-at-each.ts";
import { runTraced, straceSkipReason } from "./strace.ts";

const skipReason = straceSkipReason();

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
    const shared = stepFolder(t);
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
  const made = stepFolder(t);
  mkdirSync(join(made, "data"));
  const filled = await runTraced({
    module: fileOperations,
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
  const unmount = (file: string) => spawnSync("umount", ["-l", file]);
  const probe = join(stepFolder(t), "file");
  writeFileSync(probe, "");
  if (spawnSync("mount", ["--bind", probe, probe]).status !== 0) return t.skip("mounting a file is not permitted");
  atEnd(t, () => unmount(probe));
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
        atEnd(t, () => unmount(file));
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
