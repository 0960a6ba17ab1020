import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import {
  commentCommandInput,
  historySeqs,
  journalBatch,
  journalRefusal,
  openTestJournals,
  recoverWithStates,
  testHistoryEntry,
} from "../journal.fixture.ts";

const { newDir, open } = openTestJournals(after);

/** Data directory of a killed process, whose last `commits` commits are only in the write-ahead log. */
async function leaveLog(commits: number): Promise<string> {
  const dir = newDir();
  const journal = await open(dir);
  for (let i = 0; i < commits; i++) await journal.accept(commentCommandInput(String(i)));
  const copy = newDir();
  cpSync(dir, copy, { recursive: true });
  await journal.close();
  return copy;
}

test("[DU6] a truncated log loses only the truncated commands", async () => {
  const torn = await leaveLog(5);
  const logBytes = statSync(join(torn, "journal.db-wal")).size;
  let least = 5;
  for (let cut = 1; cut <= 12_000; cut += 997) {
    const dir = newDir();
    cpSync(torn, dir, { recursive: true });
    truncateSync(join(dir, "journal.db-wal"), logBytes - cut);
    // The truncated commands were not acknowledged, so the cursors do not contain them.
    rmSync(join(dir, "cursors.db-wal"));
    const journal = await open(dir);
    const { commands, lastCommandSeq } = await recoverWithStates(journal);
    assert.deepEqual(
      commands.map((c) => c.seq),
      Array.from({ length: lastCommandSeq }, (_, i) => i + 1),
    );
    assert.ok(lastCommandSeq <= least);
    least = lastCommandSeq;
    const next = await journal.accept(commentCommandInput("next"));
    assert.equal(next.ok && next.value.seq, lastCommandSeq + 1);
    await journal.close();
  }
  assert.ok(least >= 2 && least < 5);
});

test("[DU8] damage in the middle of the log is refused, not skipped", async () => {
  const dir = await leaveLog(5);
  const path = join(dir, "journal.db-wal");
  const log = readFileSync(path);
  const half = Math.floor(log.length / 2);
  log[half] = (log[half] ?? 0) ^ 1;
  writeFileSync(path, log);
  assert.match(await journalRefusal(dir), /is damaged \(its write-ahead log is damaged at byte \d+\)/);
});

test("[DU8] a damaged record is reported as such; a damaged state refuses the start", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.append(
    journalBatch({ states: [{ ref: "web1", state: "{}" }], history: [testHistoryEntry(1), testHistoryEntry(2)] }),
  );
  await journal.close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  db.exec("UPDATE history SET json = replace(json, 'state', 'stale') WHERE seq = 1");
  db.exec("UPDATE state SET json = '[]'");
  db.close();
  const reported: string[] = [];
  const again = await open(dir, { onDamage: (what) => reported.push(what) });
  assert.equal(again.health().damagedRecords, 0, "records are verified when they are read");
  const [damaged] = await again.historyAfter(0, 1);
  assert.deepEqual([damaged?.seq, damaged?.type, damaged?.atMs], [1, "gap", 1]);
  assert.deepEqual(await historySeqs(again), [2, 1]);
  assert.deepEqual([again.health().damagedRecords, reported], [1, ["history record 1"]], "counted and reported once");
  await assert.rejects(recoverWithStates(again), /journal .* is damaged \(the state of "web1" is damaged\)/);
  await again.close();
});

test("[DU6] a journal shorter than a cursor starts with a gap and continues after it", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.append(journalBatch({ history: [testHistoryEntry(1), testHistoryEntry(2)] }));
  await journal.setCursor("nats", 9);
  await journal.close();
  const again = await open(dir);
  const { missing, lastHistorySeq } = await recoverWithStates(again);
  assert.deepEqual(missing, { fromSeq: 3, toSeq: 9 });
  assert.equal(lastHistorySeq, 10);
  assert.deepEqual(again.health().missing, missing);
  const [gap] = await again.historyAfter(2, 5);
  assert.deepEqual([gap?.seq, gap?.type], [10, "gap"]);
  assert.match(gap?.comment ?? "", /3 to 9 were lost/);
  const appended = await again.append(journalBatch({ history: [testHistoryEntry(3)] }));
  assert.equal(appended.ok && appended.value.lastHistorySeq, 11);
  await again.close();
});

test("[DU6] a journal whose log was deleted, or that is an older copy, is detected without any reader", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.accept({ atMs: 1, author: "a", onBehalfOf: "", command: { kind: "schedule_check", refs: ["web1"] } });
  await journal.append(journalBatch({ history: [testHistoryEntry(1), testHistoryEntry(2)], appliedCommandSeq: 1 }));
  await journal.close();
  // Closing wrote the log back. Deleting the whole journal has the same effect as deleting a log with all its records.
  for (const file of ["journal.db", "journal.db-wal", "journal.db-shm"]) rmSync(join(dir, file), { force: true });
  const again = await open(dir);
  const { missing, lastHistorySeq, lastCommandSeq } = await recoverWithStates(again);
  assert.deepEqual(missing, { fromSeq: 1, toSeq: 2, lostCommands: 1 });
  const [gap] = await again.historyAfter(2, 5);
  assert.match(gap?.comment ?? "", /history records 1 to 2 and 1 accepted commands were lost/);
  const next = await again.accept({
    ...{ atMs: 1, author: "a", onBehalfOf: "" },
    command: { kind: "schedule_check", refs: ["web1"] },
  });
  assert.deepEqual([lastHistorySeq, lastCommandSeq, next.ok && next.value.seq], [3, 1, 2]);
  await again.close();
  const third = await open(dir);
  assert.equal((await recoverWithStates(third)).missing, undefined, "said once");
  await third.close();
});
