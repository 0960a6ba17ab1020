import assert from "node:assert/strict";
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { alertReader } from "../../journal/alert-table.ts";
import { alertsAfter } from "../../journal/journal.fixture.ts";
import { openJournalForReading } from "../../journal/schema/journal-schema.ts";
import { type JournalStore, openJournalStore } from "../../journal/write/journal-store.ts";
import { openFollowerStore } from "./follower-store.ts";
import { assertEqualJournals, copyAsKilled, journalRows, makePairFolder } from "./pair-journals.fixture.ts";

const childFile = fileURLToPath(new URL("./pair-journal.child.ts", import.meta.url));
const startChild = (args: readonly string[], env: NodeJS.ProcessEnv = {}): ChildProcess =>
  fork(childFile, args, { env: { ...process.env, ...env }, execArgv: ["--disable-warning=ExperimentalWarning"] });

function openStore(dataDir: string): JournalStore {
  const store = openJournalStore({ dataDir, realm: "r", pair: "active" });
  if (!store.ok) assert.fail(store.error);
  return store.value;
}

/** Journal with a term and `commands` commands, in a folder. */
function writeJournal(dataDir: string, term: number, commands: number): JournalStore {
  const store = openStore(dataDir);
  store.write([{ kind: "term", term, member: `m${term}` }]);
  for (let i = 0; i < commands; i++)
    store.write([{ kind: "accept", json: `{"term":${term},"i":${i}}`, audit: [{ atMs: i, json: `{"i":${i}}` }] }]);
  store.write([{ kind: "cursor", name: "nats", seq: 0 }]);
  return store;
}

test("[PA34] a crash at any step of an installation leaves the old journal or the new one, and reports no loss", async (t) => {
  const folder = makePairFolder();
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeJournal(join(folder, "source"), 2, 5).close();
  const snapshot = join(folder, "source", "journal.db");
  const old = writeJournal(join(folder, "old"), 1, 40);
  copyAsKilled(join(folder, "old"), join(folder, "killed"));
  old.close();
  const points = ["before-snapshot", "snapshot-decided", "cursors-dropped", "log-removed", "snapshot-installed"];
  await Promise.all(
    points.map(async (point, at) => {
      const dataDir = join(folder, point);
      cpSync(join(folder, "old"), dataDir, { recursive: true });
      writeFileSync(join(dataDir, "restored-copy.json"), "{}");
      const child = startChild(["install", dataDir, snapshot], { NODE_ENV: "test", FAULT: `${point}:1` });
      const [, signal] = await once(child, "exit");
      assert.equal(signal, "SIGKILL", point);
      const opened = openFollowerStore({ dataDir, realm: "r" });
      if (!opened.ok) assert.fail(`${point}: ${opened.error}`);
      opened.value.close();
      assert.deepEqual(journalRows(dataDir), journalRows(join(folder, at === 0 ? "old" : "source")), point);
      assert.equal(existsSync(join(dataDir, "restored-copy.json")), at === 0, `${point}: the note of the old journal`);
      const store = openStore(dataDir);
      assert.equal(store.recover(1).missing, undefined, point);
      store.close();
      assert.deepEqual(
        readdirSync(dataDir).filter((name) => /incoming|ready/.test(name)),
        [],
        point,
      );
      assert.deepEqual(readdirSync(join(dataDir, "diverged")).length, 1, "what the old journal had alone is kept");
    }),
  );
  // A log that the old journal has left must not be taken for that of the new one.
  copyFileSync(snapshot, join(folder, "killed", "journal.db.ready"));
  openStore(join(folder, "killed")).close();
  assertEqualJournals(join(folder, "killed"), join(folder, "source"));
});

test("[PA30, PA31, AR20] every command that was answered is at both members, whichever is killed", async (t) => {
  const folder = makePairFolder();
  const random = seededRandom(testSeed(t));
  const dirs = { active: join(folder, "active"), standby: join(folder, "standby") };
  for (const dir of Object.values(dirs)) mkdirSync(dir);
  const accepted = new Map<number, string>();
  const children: { active?: ChildProcess; standby?: ChildProcess } = {};
  let terms = 0;
  const start = (side: "active" | "standby"): void => {
    const child = startChild([side, dirs[side], `${++terms}`]);
    children[side] = child;
    child.on("message", (message: { accepted?: { seq: number; text: string }; request?: object; answer?: object }) => {
      if (message.accepted !== undefined) accepted.set(message.accepted.seq, message.accepted.text);
      const other = children[side === "active" ? "standby" : "active"];
      if (message.request !== undefined && other?.connected) other.send(message.request, () => {});
      if (message.answer !== undefined && other?.connected) other.send(message, () => {});
    });
  };
  const kill = async (side: "active" | "standby"): Promise<void> => {
    const child = children[side];
    if (child === undefined) return;
    const exit = once(child, "exit");
    child.kill("SIGKILL");
    await exit;
  };
  t.after(() => {
    for (const child of Object.values(children)) child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  });
  start("active");
  start("standby");
  for (let round = 0; round < 6; round++) {
    const target = accepted.size + 20 + random.upTo(200);
    await until("commands are answered", () => accepted.size > target);
    const side = random.oneOf(["active", "standby"]);
    await kill(side);
    start(side);
  }
  await kill("active");
  await kill("standby");
  for (const side of ["active", "standby"] as const) {
    const store = openStore(dirs[side]);
    const { commands, missing } = store.recover(1);
    store.close();
    assert.equal(missing, undefined, side);
    const stored = new Map(
      commands.map(({ seq, json }) => [seq, (JSON.parse(json) as { command: { text: string } }).command.text]),
    );
    for (const [seq, text] of accepted) assert.equal(stored.get(seq), text, `command ${seq} at the ${side}`);
    const db = openJournalForReading(dirs[side]);
    assert.deepEqual(alertReader(db)(0).alerts, alertsAfter([...stored.values()]), `alerts at the ${side}`);
    db.close();
  }
  t.diagnostic(`${accepted.size} commands answered`);
});
