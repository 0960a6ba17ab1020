import assert from "node:assert/strict";
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { openJournalStore } from "@realmwatch/agent/journal/write/journal-store";
import { verifyAudit } from "@realmwatch/shared/audit/verify-audit";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { fileOperations } from "./file-operations.ts";
import { memoryFolder, runTraced, straceSkipReason, type TracedExit } from "./strace.ts";

const skip = straceSkipReason();
/** Largest number of runs with one kind of failure; `npm run test:soak` runs until the failure no longer occurs. */
const maxRuns = Number(process.env["REALMWATCH_EVERY"] ?? 0) === 1 ? 1_000 : 14;

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(memoryFolder, "realmwatch-failing-"));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const idsOf = ({ stdout }: TracedExit, fate: "certain" | "refused", kind: string): string[] =>
  [...stdout.matchAll(/^(\w+) (\w+) (\S+)/gm)].flatMap(([, f, k, id]) => (f === fate && k === kind ? [id ?? ""] : []));

const nothingLost = { lostCommands: 0, lostAudit: 0, fromSeq: 0, toSeq: 0, logGone: 0 };

/** Ids of the stored comments once the disk works again. */
function storedIds(dataDir: string): string[] {
  const opened = openJournalStore({ dataDir, realm: "r" });
  if (!opened.ok) return assert.fail(opened.error);
  const store = opened.value;
  try {
    const { commands, missing } = store.recover(0);
    // The orderly end could not be stored, so the next start assumes a loss; but no number is missing.
    assert.deepEqual({ lostCommands: 0, lostAudit: 0, ...missing, fromSeq: 0, toSeq: 0, logGone: 0 }, nothingLost);
    assert.ok(missing === undefined || missing.toSeq < missing.fromSeq);
    return commands.map(({ json }) => {
      const { command } = JSON.parse(json) as AcceptedCommand;
      return command.kind === "add_comment" ? command.id : "";
    });
  } finally {
    store.close();
  }
}

const onFiles = (dataDir: string): string[] =>
  ["journal.db", "cursors.db"].flatMap((name) => [name, `${name}-wal`].map((file) => join(dataDir, file)));

type FailingCall = { readonly call: string; readonly lasting: boolean };
const failingCalls: readonly FailingCall[] = ["pread64", "pwrite64", "fsync"].flatMap((call) =>
  [false, true].map((lasting) => ({ call, lasting })),
);

for (const { call, lasting } of failingCalls)
  test(`[DU15, DU12] when ${call} fails ${lasting ? "from some call on" : "once"}, commands are refused and no accepted one is lost`, {
    skip,
  }, async (t) => {
    const place = folderFor(t);
    const initial = join(place, "initial");
    mkdirSync(initial);
    const made = await runTraced({
      module: fileOperations,
      words: ["journal", initial, "2"],
      files: [initial],
      inject: [],
    });
    assert.equal(made.code, 0, made.stderr);
    let failed = 0;
    const tryAt = async (when: number): Promise<boolean> => {
      const dataDir = join(place, String(when));
      cpSync(initial, dataDir, { recursive: true });
      const inject = [`${call}:error=EIO:when=${when}${lasting ? "+" : ""}`];
      const end = await runTraced({
        module: fileOperations,
        words: ["journal", dataDir, "3"],
        files: onFiles(dataDir),
        inject,
      });
      assert.equal(end.code, 0, `${when}: ${end.stdout}${end.stderr}`);
      for (const [, why] of end.stdout.matchAll(/^refused \S+ \S+ (.*)$/gm))
        assert.equal((JSON.parse(why ?? "") as { kind: string }).kind, "unavailable");
      const [closed] = /^closed .*$/m.exec(end.stdout) ?? [];
      const refused = idsOf(end, "refused", "command");
      const stored = storedIds(dataDir);
      const ids = ["1", "2", ...idsOf(end, "certain", "command")];
      assert.deepEqual(
        stored.filter((id) => ids.includes(id)),
        ids,
        `${when}: ${end.stdout}`,
      );
      // A refused command is not stored either, except one that the failing disk did not allow to be removed.
      const isRemoved = lasting ? stored.length <= ids.length + 1 : stored.length === ids.length;
      assert.ok(isRemoved, `${when}: ${stored}: ${end.stdout}`);
      const audit = verifyAudit(dataDir);
      assert.ok(audit.ok, JSON.stringify(audit));
      if (closed !== undefined || refused.length > 0) failed += 1;
      rmSync(dataDir, { recursive: true });
      return closed !== undefined || refused.length > 0 || when < 5;
    };
    for (let when = 1; when <= maxRuns; when += 2)
      if (!(await Promise.all([tryAt(when), tryAt(when + 1)])).includes(true)) break;
    assert.ok(failed > 0);
    t.diagnostic(`${failed} runs refused a command`);
  });

test("[DU9, DU15] after consecutive failed syncs and a kill the journal opens, with all accepted commands", {
  skip,
}, async (t) => {
  const place = folderFor(t);
  const warm = join(place, "warm");
  await runTraced({ module: fileOperations, words: ["journal", warm, "1"], files: [warm], inject: [] });
  let refusals = 0;
  const tryAt = async (from: number, upTo: number): Promise<void> => {
    const dataDir = join(place, `${from}-${upTo}`);
    cpSync(warm, dataDir, { recursive: true });
    const inject = ["fsync", "fdatasync"].map((call) => `${call}:error=EIO:when=${from}..${upTo}`);
    const files = [join(dataDir, "journal.db"), join(dataDir, "journal.db-wal")];
    const end = await runTraced({ module: fileOperations, words: ["burst", dataDir], files, inject });
    assert.equal(end.code, undefined, `${end.stdout}${end.stderr}`);
    const stored = storedIds(dataDir);
    const certain = idsOf(end, "certain", "burst");
    for (const id of certain) assert.ok(stored.includes(id), `${from}..${upTo}: ${id}`);
    assert.equal(new Set(stored).size, stored.length);
    refusals += idsOf(end, "refused", "burst").length;
  };
  const ranges = [1, 2, 3, 4, 5].flatMap((from) => [1, 2, 3, 4].map((more) => [from, from + more] as const));
  for (let at = 0; at < ranges.length; at += 2)
    await Promise.all(ranges.slice(at, at + 2).map(([from, upTo]) => tryAt(from, upTo)));
  assert.ok(refusals > 0);
});
