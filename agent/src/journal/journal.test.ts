import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { ok } from "@realmwatch/shared/model/result";
import {
  alertsAfter,
  commentCommandInput,
  journalBatch,
  journalRefusal,
  openTestJournals,
  recoverWithStates,
  storedNotification,
  testHistoryEntry,
} from "./journal.fixture.ts";

const { newDir, open } = openTestJournals(after);

test("[DU11] an applied command stays until its performance data is in the log of the sinks, and is not applied again", async () => {
  const dir = newDir();
  const first = await open(dir);
  await recoverWithStates(first);
  await Promise.all(["a", "b", "c"].map((text) => first.accept(commentCommandInput(text))));
  await first.append(journalBatch({ appliedCommandSeq: 2, takenCommandSeq: 1 }));
  await first.close();
  const second = await open(dir);
  const { commands, appliedCommands } = await recoverWithStates(second);
  assert.deepEqual([commands.map(({ seq }) => seq), appliedCommands.map(({ seq }) => seq)], [[3], [2]]);
  await second.append(journalBatch({ appliedCommandSeq: 2, takenCommandSeq: 2 }));
  await second.close();
  const third = await open(dir);
  assert.deepEqual((await recoverWithStates(third)).appliedCommands, []);
  await third.close();
});

test("[DU11] a reopened journal returns exactly what was stored", async () => {
  const dir = newDir();
  const first = await open(dir);
  assert.deepEqual(await recoverWithStates(first), {
    states: [],
    program: undefined,
    commands: [],
    appliedCommands: [],
    notifications: [],
    lastHistorySeq: 0,
    lastCommandSeq: 0,
    epoch: 0,
    missing: undefined,
  });
  const accepted = await Promise.all(["a", "b", "c"].map((text) => first.accept(commentCommandInput(text))));
  assert.deepEqual(
    accepted.map((a) => a.ok && a.value.seq),
    [1, 2, 3],
  );
  const web = { ref: "web1", state: '{"a":1}' };
  await first.append(
    journalBatch({ states: [web, { ref: "web2", state: "{}" }], history: [testHistoryEntry(1), testHistoryEntry(2)] }),
  );
  await first.append(
    journalBatch({
      states: [{ ref: "web2", state: undefined }],
      program: '{"p":1}',
      history: [testHistoryEntry(3)],
      appliedCommandSeq: 2,
    }),
  );
  await first.keepEpoch(7);
  await first.keepEpoch(6); // As after a start with a wrong clock.
  await first.setCursor("nats", 2);
  await first.close();
  assert.equal((await first.accept(commentCommandInput("d"))).ok, false);

  const second = await open(dir);
  const recovered = await recoverWithStates(second);
  assert.deepEqual(recovered.states, [["web1", '{"a":1}']]);
  assert.equal(recovered.program, '{"p":1}');
  assert.deepEqual(recovered.commands, [{ seq: 3, ...commentCommandInput("c") }]);
  assert.deepEqual([recovered.lastHistorySeq, recovered.lastCommandSeq, recovered.epoch], [3, 3, 6]);
  assert.equal(await second.cursor("nats"), 2);
  assert.equal(await second.cursor("other"), 0);
  const next = await second.accept(commentCommandInput("d"));
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

test("[PT11] the databases of a journal have mode 0600, also those that had another one", async () => {
  const dir = newDir();
  const first = await open(dir);
  await first.accept(commentCommandInput("a"));
  const databases = () => readdirSync(dir).filter((name) => /\.db(-|$)/.test(name));
  const others = () => databases().filter((name) => (statSync(join(dir, name)).mode & 0o077) !== 0);
  assert.ok(databases().includes("journal.db"));
  assert.deepEqual(others(), []);
  await first.close();
  for (const name of databases()) chmodSync(join(dir, name), 0o644);
  const second = await open(dir);
  await second.accept(commentCommandInput("b"));
  assert.deepEqual(others(), []);
  await second.close();
});

test("[DU1] a notification is stored from its decision to the end of its delivery, in order", async () => {
  const dir = newDir();
  const first = await open(dir);
  await first.append(
    journalBatch({ notifications: ["c", "a", "b"].map(storedNotification), history: [testHistoryEntry(1)] }),
  );
  await first.append(journalBatch({ delivered: ["a", "never stored"], notifications: [storedNotification("d")] }));
  // Appended again, as after a lost response.
  await first.append(journalBatch({ notifications: [storedNotification("c")] }));
  await first.close();
  const second = await open(dir);
  assert.deepEqual((await recoverWithStates(second)).notifications, ["c", "b", "d"].map(storedNotification));
  await second.append(journalBatch({ delivered: ["c", "b", "d"] }));
  await second.close();
  const third = await open(dir);
  assert.deepEqual((await recoverWithStates(third)).notifications, []);
  await third.close();
});

test("states are recovered in slices, each state once", async () => {
  const journal = await open(newDir());
  const refs = Array.from({ length: 4_500 }, (_, i) => `h${i}`);
  await journal.append(journalBatch({ states: refs.map((ref) => ({ ref, state: "{}" })) }));
  const slices: string[][] = [];
  await journal.recover((states) => void slices.push(states.map(([ref]) => ref)));
  assert.deepEqual(slices.flat(), refs);
  assert.ok(slices.length > 1);
  await journal.close();
});

test("an exception while a state is read is reported as damage", async () => {
  const journal = await open(newDir());
  await journal.append(journalBatch({ states: [{ ref: "web1", state: "{}" }] }));
  const recovery = journal.recover(() => {
    throw new Error("no such status");
  });
  await assert.rejects(recovery, /journal .* is damaged \(no such status\)/);
  await journal.close();
});

test("[DU17] a second process, another realm, a newer version and a foreign file are refused with a sentence", async () => {
  const dir = newDir();
  const journal = await open(dir);
  assert.match(await journalRefusal(dir), /in use by another process/);
  const child = spawn(process.execPath, [childFile, dir], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [said] = await once(child.stdout, "data");
  assert.match(String(said), /^refused .* in use by another process/);
  await journal.close();

  const file = join(dir, "journal.db");
  const content = readFileSync(file);
  assert.match(await journalRefusal(dir, "other"), /belongs to realm "r", not to "other"/);
  assert.deepEqual(readFileSync(file), content, "a refused file stays unchanged");
  const db = new DatabaseSync(file);
  db.exec("PRAGMA user_version = 99");
  db.close();
  const newer = readFileSync(file);
  assert.match(await journalRefusal(dir), /written by a newer version \(schema 99/);
  assert.deepEqual(readFileSync(file), newer, "a refused file stays unchanged");
  writeFileSync(join(dir, "journal.db"), "x".repeat(8_192));
  assert.match(await journalRefusal(dir), /is damaged/);
  rmSync(join(dir, "journal.db"));
  assert.equal(await journalRefusal(dir), "");
  assert.match(await journalRefusal(join(dir, "journal.db", "below")), /cannot create the data directory/);
});

test("[DU19] the journal of an older version is upgraded with all that it has", async () => {
  for (const change of ["DROP TABLE alert;", ""]) {
    const dir = newDir();
    const journal = await open(dir);
    await journal.close();
    const db = new DatabaseSync(join(dir, "journal.db"));
    db.exec(`${change} PRAGMA user_version = 1`);
    db.close();
    assert.equal(await journalRefusal(dir), "", change);
    const upgraded = new DatabaseSync(join(dir, "journal.db"));
    assert.equal(upgraded.prepare("PRAGMA user_version").get()?.["user_version"], 2);
    upgraded.close();
  }
});

const childFile = fileURLToPath(new URL("./journal.child.ts", import.meta.url));

/** Runs the child until it has printed `lines` lines, then kills it with SIGKILL. Returns its output. */
async function runAndKill(dir: string, firstComment: number, lines: number): Promise<string[]> {
  const args = [childFile, dir, String(firstComment)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const said: string[] = [];
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === lines) child.kill("SIGKILL");
  }
  return said;
}

test("[DU12, AR20] no accepted command is missing after kill -9, and the alerts that fire are those of the commands", async () => {
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
  const { commands, states, lastHistorySeq } = await recoverWithStates(journal);
  assert.deepEqual(
    commands.map((c) => c.seq),
    Array.from({ length: commands.length }, (_, i) => i + 1),
    "no seq is missing or given twice",
  );
  const stored = new Map(commands.map((c) => [c.seq, c.command.kind === "add_comment" ? c.command.text : ""]));
  for (const [seq, text] of accepted) assert.equal(stored.get(seq), text);
  assert.deepEqual(await journal.firingAlerts(), ok(alertsAfter([...stored.values()])));
  const refs = new Set(states.map(([ref]) => ref));
  for (const seq of appended) assert.ok(refs.has(`applied${seq}`));
  const history = await journal.historyAfter(0, 100_000);
  assert.deepEqual(
    history.map((r) => r.seq),
    Array.from({ length: lastHistorySeq }, (_, i) => i + 1),
  );
  await journal.close();
});

test("commands above the limit are refused as exhausted, and none of the others is lost", async () => {
  const journal = await open(newDir());
  const answers = await Promise.all(
    Array.from({ length: 10_050 }, (_, i) => journal.accept(commentCommandInput(String(i)))),
  );
  assert.equal(answers.filter((a) => a.ok).length, 10_000);
  assert.ok(answers.every((a) => a.ok || a.error.kind === "exhausted"));
  assert.equal((await recoverWithStates(journal)).commands.length, 10_000);
  await journal.close();
});
