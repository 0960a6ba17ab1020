import assert from "node:assert/strict";
import { cpSync, existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { openAuditStore } from "@realmwatch/shared/audit/audit-store";
import { verifyAudit } from "@realmwatch/shared/audit/verify-audit";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { fileOperations } from "./file-operations.ts";
import { assertOnlyFiles, certainOf, databases, killAtEach, readJournal, stepFolder } from "./kill-at-each.ts";
import { runTraced, straceSkipReason, type TracedExit } from "./strace.ts";

const skipReason = straceSkipReason();

const journalFiles = databases("journal.db", "cursors.db");

function assertIntegrity(path: string): void {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    assert.deepEqual(db.prepare("PRAGMA integrity_check").all().map(Object.values), [["ok"]], path);
  } finally {
    db.close();
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
  const left = stepFolder(t);
  // It is killed in its fifth round: all its writes are in the log, for the next start to recover.
  const files = [join(left, "journal.db-wal")];
  const killed = await runTraced({
    module: fileOperations,
    words: ["journal", left, "5"],
    files,
    inject: ["fsync,fdatasync:signal=KILL:when=17"],
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
  const left = stepFolder(t);
  const files = databases("audit.db", "audit-lock.db");
  const log = [join(left, "audit.db-wal")];
  const killed = await runTraced({
    module: fileOperations,
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
