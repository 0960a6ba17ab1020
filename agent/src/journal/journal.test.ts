import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { parseSelector } from "@realmwatch/shared/text/selector";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import type { Clock } from "@realmwatch/shared/words/clock";
import type { HistoryEntry } from "@realmwatch/shared/words/history";
import { manualClock } from "@realmwatch/shared/words/manual-clock";
import type { Notification } from "@realmwatch/shared/words/notification";
import { type Journal, type JournalBatch, type JournalOptions, openJournal } from "./journal.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-journal-"));
const opened = new Set<Journal>();
after(async () => {
  for (const journal of opened) await journal.close();
  rmSync(folder, { recursive: true, force: true });
});
let folders = 0;
const newDir = (): string => join(folder, `data${folders++}`);

async function open(dataDir: string, more: Partial<JournalOptions> = {}): Promise<Journal> {
  const journal = await openJournal({ dataDir, realm: "r", historyRetentionMs: 1e12, clock: systemClock, ...more });
  if (!journal.ok) assert.fail(journal.error);
  opened.add(journal.value);
  return journal.value;
}

const refusalOf = async (dataDir: string, realm = "r"): Promise<string> => {
  const journal = await openJournal({ dataDir, realm, historyRetentionMs: 1e12, clock: systemClock });
  if (!journal.ok) return journal.error;
  await journal.value.close();
  return "";
};

const batch = (more: Partial<JournalBatch>): JournalBatch => ({
  states: [],
  program: undefined,
  history: [],
  appliedCommandSeq: 0,
  ...more,
});
const entry = (atMs: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({ atMs, type: "state", ...more });
const comment = (text: string) =>
  ({ atMs: 5, author: "ann", onBehalfOf: "", command: { kind: "add_comment", ref: "web1", id: text, text } }) as const;
const notification = (id: string): Notification => ({
  id,
  contact: "ops",
  kind: "PROBLEM",
  key: { kind: "host", name: "web1" },
  status: "critical",
  previousStatus: "ok",
  stateType: "hard",
  attempt: 3,
  maxAttempts: 3,
  output: "down",
  longOutput: "",
  perfdata: [],
  problemId: "p1",
  level: 0,
  number: 1,
  author: "",
  comment: "",
  labels: { rack: "r7" },
  sinceMs: 1,
  atMs: 2,
});
const query = (more: Partial<HistoryQuery> = {}): HistoryQuery => ({
  key: undefined,
  selector: undefined,
  realm: "",
  types: [],
  sinceMs: undefined,
  untilMs: undefined,
  pageSize: 100,
  pageToken: "",
  ...more,
});
async function seqs(journal: Journal, more: Partial<HistoryQuery> = {}): Promise<number[]> {
  const answer = await journal.history(query(more));
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.records.map((record) => record.seq);
}

test("what was kept is there after reopening, and only that", async () => {
  const dir = newDir();
  const first = await open(dir);
  assert.deepEqual(await first.recover(), {
    states: [],
    program: undefined,
    commands: [],
    notifications: [],
    lastHistorySeq: 0,
    lastCommandSeq: 0,
    epoch: 0,
    gap: undefined,
  });
  const accepted = await Promise.all(["a", "b", "c"].map((text) => first.accept(comment(text))));
  assert.deepEqual(
    accepted.map((a) => a.ok && a.value.seq),
    [1, 2, 3],
  );
  const web = { ref: "web1", state: '{"a":1}' };
  await first.append(batch({ states: [web, { ref: "web2", state: "{}" }], history: [entry(1), entry(2)] }));
  await first.append(
    batch({
      states: [{ ref: "web2", state: undefined }],
      program: '{"p":1}',
      history: [entry(3)],
      appliedCommandSeq: 2,
    }),
  );
  await first.keepEpoch(7);
  await first.keepEpoch(6);
  await first.setCursor("nats", 2);
  await first.close();
  assert.equal((await first.accept(comment("d"))).ok, false);

  const second = await open(dir);
  const recovered = await second.recover();
  assert.deepEqual(recovered.states, [["web1", '{"a":1}']]);
  assert.equal(recovered.program, '{"p":1}');
  assert.deepEqual(recovered.commands, [{ seq: 3, ...comment("c") }]);
  assert.deepEqual([recovered.lastHistorySeq, recovered.lastCommandSeq, recovered.epoch], [3, 3, 7]);
  assert.equal(await second.cursor("nats"), 2);
  assert.equal(await second.cursor("other"), 0);
  const next = await second.accept(comment("d"));
  assert.equal(next.ok && next.value.seq, 4);
  assert.deepEqual(
    (await second.historyAfter(1, 10)).map((r) => [r.seq, r.atMs, r.type]),
    [
      [2, 2, "state"],
      [3, 3, "state"],
    ],
  );
  await second.close();
  assert.equal(statSync(dir).mode & 0o777, 0o700);
});

test("[DU1] a notification is kept from its decision to the end of its delivery, in order", async () => {
  const dir = newDir();
  const first = await open(dir);
  await first.append(batch({ notifications: ["c", "a", "b"].map(notification), history: [entry(1)] }));
  await first.append(batch({ delivered: ["a", "never kept"], notifications: [notification("d")] }));
  // Appended again, as after an answer that got lost.
  await first.append(batch({ notifications: [notification("c")] }));
  await first.close();
  const second = await open(dir);
  assert.deepEqual((await second.recover()).notifications, ["c", "b", "d"].map(notification));
  await second.append(batch({ delivered: ["c", "b", "d"] }));
  await second.close();
  const third = await open(dir);
  assert.deepEqual((await third.recover()).notifications, []);
  await third.close();
});

test("history answers by object, selector, type and time, in pages, newest first", async () => {
  const refs = ["web1!http", "db1"];
  const journal = await open(newDir(), { refsMatching: () => refs });
  const http = { kind: "service", host: "web1", name: "http" } as const;
  const history = Array.from({ length: 30 }, (_, i) =>
    entry(1_000 + i, { ...(i % 3 === 0 ? { key: http } : {}), type: i % 2 === 0 ? "state" : "config" }),
  );
  await journal.append(batch({ history }));
  const all = Array.from({ length: 30 }, (_, i) => 30 - i);
  assert.deepEqual(await seqs(journal), all);
  assert.deepEqual(
    await seqs(journal, { key: http }),
    all.filter((seq) => seq % 3 === 1),
  );
  assert.deepEqual(await seqs(journal, { key: { kind: "host", name: "web1" } }), []);
  assert.deepEqual(
    await seqs(journal, { types: ["config"] }),
    all.filter((seq) => seq % 2 === 0),
  );
  assert.deepEqual(await seqs(journal, { types: ["config", "state"], sinceMs: 1_010, untilMs: 1_012 }), [12, 11]);
  assert.deepEqual(await seqs(journal, { realm: "r" }), all);
  assert.deepEqual(await seqs(journal, { realm: "other" }), []);

  const selector = parseSelector("a=b");
  assert.ok(selector.ok);
  assert.deepEqual((await seqs(journal, { selector: selector.value })).length, 10);
  refs.push(...Array.from({ length: 1_000 }, (_, i) => `host${i}`));
  assert.deepEqual((await seqs(journal, { selector: selector.value })).length, 10);
  assert.deepEqual(await seqs(journal, { selector: selector.value, key: { kind: "host", name: "nobody" } }), []);

  const paged: number[] = [];
  for (let pageToken = ""; ; ) {
    const page = await journal.history(query({ pageSize: 7, pageToken }));
    assert.ok(page.ok);
    paged.push(...page.value.records.map((r) => r.seq));
    pageToken = page.value.nextPageToken;
    if (pageToken === "") break;
  }
  assert.deepEqual(paged, all);
  const nonsense = await journal.history(query({ pageToken: "x" }));
  assert.equal(!nonsense.ok && nonsense.error.kind, "malformed");
  await journal.close();
});

test("[F32] a second process, another realm, a newer version and a foreign file are refused in a sentence", async () => {
  const dir = newDir();
  const journal = await open(dir);
  assert.match(await refusalOf(dir), /in use by another process/);
  const child = spawn(process.execPath, ["--conditions=source", childFile, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  assert.match(String(said), /^refused .* in use by another process/);
  await journal.close();

  assert.match(await refusalOf(dir, "other"), /belongs to realm "r", not to "other"/);
  const db = new DatabaseSync(join(dir, "journal.db"));
  db.exec("PRAGMA user_version = 99");
  db.close();
  assert.match(await refusalOf(dir), /written by a newer version \(schema 99/);
  writeFileSync(join(dir, "journal.db"), "x".repeat(8_192));
  assert.match(await refusalOf(dir), /is damaged/);
  rmSync(join(dir, "journal.db"));
  assert.equal(await refusalOf(dir), "");
  assert.match(await refusalOf(join(dir, "journal.db", "below")), /cannot make the data directory/);
});

const childFile = fileURLToPath(new URL("./journal.child.ts", import.meta.url));

/** Runs the child until it has said `lines` lines, kills it with no chance to clean up; all that it said. */
async function runAndKill(dir: string, firstComment: number, lines: number): Promise<string[]> {
  const args = ["--conditions=source", childFile, dir, String(firstComment)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  }
  return said;
}

test("[I1] [F02] nothing that was accepted is missing after kill -9", async () => {
  const dir = newDir();
  const accepted = new Map<number, string>();
  const appended: number[] = [];
  for (let round = 0; round < 6; round++) {
    for (const line of await runAndKill(dir, round * 1_000_000, 20 + round * 97)) {
      const [what, seq, value] = line.split(" ");
      if (what === "accepted") accepted.set(Number(seq), value ?? "");
      else if (what === "appended") appended.push(Number(seq));
      else assert.fail(line);
    }
  }
  const journal = await open(dir);
  const { commands, states, lastHistorySeq } = await journal.recover();
  assert.deepEqual(
    commands.map((c) => c.seq),
    Array.from({ length: commands.length }, (_, i) => i + 1),
    "no seq is missing or given twice",
  );
  const kept = new Map(commands.map((c) => [c.seq, c.command.kind === "add_comment" ? c.command.text : ""]));
  for (const [seq, text] of accepted) assert.equal(kept.get(seq), text);
  const refs = new Set(states.map(([ref]) => ref));
  for (const seq of appended) assert.ok(refs.has(`applied${seq}`));
  const history = await journal.historyAfter(0, 100_000);
  assert.deepEqual(
    history.map((r) => r.seq),
    Array.from({ length: lastHistorySeq }, (_, i) => i + 1),
  );
  await journal.close();
});

/** A data directory as a killed process leaves it: the last `commits` commits are only in the write-ahead log. */
async function leaveLog(commits: number): Promise<string> {
  const dir = newDir();
  const journal = await open(dir);
  for (let i = 0; i < commits; i++) await journal.accept(comment(String(i)));
  const copy = newDir();
  cpSync(dir, copy, { recursive: true });
  await journal.close();
  return copy;
}

test("[F30] a torn log loses the torn command only, wherever it is torn", async () => {
  const torn = await leaveLog(5);
  const logBytes = statSync(join(torn, "journal.db-wal")).size;
  let least = 5;
  for (let cut = 1; cut <= 12_000; cut += 997) {
    const dir = newDir();
    cpSync(torn, dir, { recursive: true });
    truncateSync(join(dir, "journal.db-wal"), logBytes - cut);
    // What was torn had not been promised yet, nor noted.
    rmSync(join(dir, "cursors.db-wal"));
    const journal = await open(dir);
    const { commands, lastCommandSeq } = await journal.recover();
    assert.deepEqual(
      commands.map((c) => c.seq),
      Array.from({ length: lastCommandSeq }, (_, i) => i + 1),
    );
    assert.ok(lastCommandSeq <= least);
    least = lastCommandSeq;
    const next = await journal.accept(comment("next"));
    assert.equal(next.ok && next.value.seq, lastCommandSeq + 1);
    await journal.close();
  }
  assert.ok(least >= 2 && least < 5);
});

test("[F30] damage in the middle of the log is refused, not skipped", async () => {
  const dir = await leaveLog(5);
  const path = join(dir, "journal.db-wal");
  const log = readFileSync(path);
  const half = Math.floor(log.length / 2);
  log[half] = (log[half] ?? 0) ^ 1;
  writeFileSync(path, log);
  assert.match(await refusalOf(dir), /is damaged \(its write-ahead log is damaged at byte \d+\)/);
});

test("[F30] a damaged record is told, never left out; a damaged state refuses the start", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.append(batch({ states: [{ ref: "web1", state: "{}" }], history: [entry(1), entry(2)] }));
  await journal.close();
  const db = new DatabaseSync(join(dir, "journal.db"));
  db.exec("UPDATE history SET json = replace(json, 'state', 'stale') WHERE seq = 1");
  db.exec("UPDATE state SET json = '[]'");
  db.close();
  const told: string[] = [];
  const again = await open(dir, { onDamage: (what) => told.push(what) });
  assert.equal(again.health().damagedRecords, 0, "nobody looks before somebody reads");
  const [damaged] = await again.historyAfter(0, 1);
  assert.deepEqual([damaged?.seq, damaged?.type, damaged?.atMs], [1, "gap", 1]);
  assert.deepEqual(await seqs(again), [2, 1]);
  assert.deepEqual([again.health().damagedRecords, told], [1, ["history record 1"]], "counted and told once");
  await assert.rejects(again.recover(), /journal .* is damaged \(the state of "web1" is damaged\)/);
  await again.close();
});

test("[F30] a journal shorter than a cursor starts with a gap and goes on behind it", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.append(batch({ history: [entry(1), entry(2)] }));
  await journal.setCursor("nats", 9);
  await journal.close();
  const again = await open(dir);
  const { gap, lastHistorySeq } = await again.recover();
  assert.deepEqual(gap, { fromSeq: 3, toSeq: 9 });
  assert.equal(lastHistorySeq, 10);
  assert.deepEqual(again.health().gap, gap);
  const [told] = await again.historyAfter(2, 5);
  assert.deepEqual([told?.seq, told?.type], [10, "gap"]);
  assert.match(told?.comment ?? "", /3 to 9 were lost/);
  const appended = await again.append(batch({ history: [entry(3)] }));
  assert.equal(appended.ok && appended.value.lastHistorySeq, 11);
  await again.close();
});

test("[DU6] [F30] a journal whose log was deleted, or that is an older copy, is noticed without any reader", async () => {
  const dir = newDir();
  const journal = await open(dir);
  await journal.accept({ atMs: 1, author: "a", onBehalfOf: "", command: { kind: "schedule_check", refs: ["web1"] } });
  await journal.append(batch({ history: [entry(1), entry(2)], appliedCommandSeq: 1 }));
  await journal.close();
  // Closing wrote the log back: an empty journal beside the cursors is what deleting an unwritten log leaves.
  for (const file of ["journal.db", "journal.db-wal", "journal.db-shm"]) rmSync(join(dir, file), { force: true });
  const again = await open(dir);
  const { gap, lastHistorySeq, lastCommandSeq } = await again.recover();
  assert.deepEqual(gap, { fromSeq: 1, toSeq: 2, lostCommands: 1 });
  const [told] = await again.historyAfter(2, 5);
  assert.match(told?.comment ?? "", /history records 1 to 2 and 1 accepted commands were lost/);
  const next = await again.accept({
    ...{ atMs: 1, author: "a", onBehalfOf: "" },
    command: { kind: "schedule_check", refs: ["web1"] },
  });
  assert.deepEqual([lastHistorySeq, lastCommandSeq, next.ok && next.value.seq], [3, 1, 2]);
  await again.close();
  const third = await open(dir);
  assert.equal((await third.recover()).gap, undefined, "said once");
  await third.close();
});

test("[F17] history can be made to go on behind what others have seen", async () => {
  const journal = await open(newDir());
  await journal.append(batch({ history: [entry(1)] }));
  assert.deepEqual(await journal.skipHistoryTo(1), { ok: true, value: { lastHistorySeq: 1 } });
  assert.deepEqual(await journal.skipHistoryTo(7), { ok: true, value: { lastHistorySeq: 8 } });
  assert.deepEqual(
    (await journal.historyAfter(0, 9)).map((r) => [r.seq, r.type]),
    [
      [1, "state"],
      [8, "gap"],
    ],
  );
  await journal.close();
});

test("[F31] a full disk refuses, keeps nothing by halves, and heals", async (t) => {
  const dir = newDir();
  if (!mountTiny(dir)) return t.skip("needs root, to mount a tiny tmpfs");
  t.after(() => execFileSync("umount", ["-l", dir]));
  const clock: Clock & { probe?: () => void } = {
    ...systemClock,
    after(ms, wake) {
      if (ms === 5_000) clock.probe = wake;
      return () => {};
    },
  };
  const journal = await open(dir, { clock });
  await journal.append(batch({ states: [{ ref: "small", state: "{}" }], history: [entry(1)] }));
  const ballast = join(dir, "ballast");
  writeFileSync(ballast, Buffer.alloc(journal.health().freeBytes - 100_000));
  const large = batch({
    states: Array.from({ length: 300 }, (_, i) => ({ ref: `h${i}`, state: "x".repeat(1_000) })),
    history: [entry(2)],
  });
  const [refused, small] = await Promise.all([journal.append(large), journal.accept(comment("fits"))]);
  assert.deepEqual(!refused.ok && refused.error.kind, "unavailable");
  assert.match(!refused.ok && refused.error.kind === "unavailable" ? refused.error.what : "", /disk is full/);
  assert.equal(small.ok, true, "a small command still fits");
  assert.equal(journal.health().writable, false);
  assert.deepEqual(await seqs(journal), [1], "reading goes on");

  rmSync(ballast);
  clock.probe?.();
  const appended = await journal.append(large);
  assert.equal(appended.ok && appended.value.lastHistorySeq, 2);
  assert.equal(journal.health().writable, true);
  await journal.close();
  const again = await open(dir);
  assert.equal((await again.recover()).states.length, 301);
  await again.close();
});

function mountTiny(dir: string): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    execFileSync("mkdir", ["-p", dir]);
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=2m", "tmpfs", dir], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

test("retention deletes what is old, and believes no clock that jumped", async () => {
  const clock = manualClock(20_000_000);
  const journal = await open(newDir(), { clock, historyRetentionMs: 10_000_000 });
  await journal.append(batch({ history: Array.from({ length: 1_200 }, (_, i) => entry(i)) }));
  await journal.append(batch({ history: [entry(20_000_000)] }));
  const kept = async (): Promise<number> => (await journal.historyAfter(0, 10_000)).length;
  clock.jumpWall(3_600_000_000);
  clock.advance(60_000);
  await journal.append(batch({ history: [entry(20_000_001)] }));
  assert.equal(await kept(), 1_202);
  clock.jumpWall(-3_600_000_000);
  clock.advance(60_000);
  clock.advance(3_600_000);
  // Slices follow each other only as the clock moves and the disk answers.
  for (let tries = 0; tries < 1_000 && (await kept()) > 2; tries++) clock.advance(100);
  assert.deepEqual(
    (await journal.historyAfter(0, 10_000)).map((r) => r.seq),
    [1_201, 1_202],
  );
  await journal.close();
});

test("too many waiting commands are refused as exhausted, and none of the others is lost", async () => {
  const journal = await open(newDir());
  const answers = await Promise.all(Array.from({ length: 10_050 }, (_, i) => journal.accept(comment(String(i)))));
  assert.equal(answers.filter((a) => a.ok).length, 10_000);
  assert.ok(answers.every((a) => a.ok || a.error.kind === "exhausted"));
  assert.equal((await journal.recover()).commands.length, 10_000);
  await journal.close();
});
