import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { spawnProgram, startTestAgent, tempFolder } from "../../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const hosts = Array.from({ length: 200 }, (_, n) => `hosts: web${n}: {address: "a", ${passive}}\n`).join("");
const rounds = 6;

const startBackup = (dataDir: string, out: string): ChildProcess =>
  spawnProgram("agent", ["backup", "-data-dir", dataDir, "-out", out]);

/** True when an agent can start from the journal's copy. */
function isCopyValid(path: string): boolean {
  const db = new DatabaseSync(path, { readOnly: true });
  try {
    const [found] = Object.values(db.prepare("PRAGMA quick_check").get() ?? {});
    return found === "ok" && db.prepare("SELECT count(*) AS n FROM state").get() !== undefined;
  } finally {
    db.close();
  }
}

test("[DU14] after a kill while epoch, cursors, snapshot or backup are rewritten, each file is the old or the new one", async (t) => {
  const random = seededRandom(testSeed(t));
  const folder = tempFolder(t, "rewriting");
  const [snapshot, backup] = [join(folder, "snapshot.json"), join(folder, "backup.db")];
  const agent = await startTestAgent(t, {
    config: hosts,
    flags: { "snapshot-out": snapshot, "snapshot-interval": "20ms", "log-level": "error" },
  });
  let epoch = 0;
  for (let round = 0; round < rounds; round += 1) {
    await until("a snapshot is there", () => existsSync(snapshot));
    const text = `round ${round}`;
    await sendCommand(agent.base, "AddComment", { target: hostTarget("web0"), author: "ann", text });
    const copying = startBackup(agent.dataDir, backup);
    const ended = once(copying, "exit");
    // Most of the time is the start of the program; later kills hit the copy itself.
    const kill = setTimeout(() => copying.kill("SIGKILL"), 300 + random.upTo(900));
    await sleep(random.upTo(700));
    await agent.stop("SIGKILL");
    const shown = JSON.parse(readFileSync(snapshot, "utf8")) as object;
    assert.ok(JSON.stringify(shown).includes("web199"), "a snapshot is complete");
    await agent.restart();
    await ended;
    clearTimeout(kill);
    if (existsSync(backup)) assert.ok(isCopyValid(backup), "a copy is complete");
    const [row] = Object.values(await statusRows(agent.base, { pageSize: 1 }));
    assert.ok(row);
    const db = new DatabaseSync(join(agent.dataDir, "journal.db"), { readOnly: true });
    const next = Number(db.prepare("SELECT value FROM meta WHERE name = 'epoch'").get()?.["value"]);
    db.close();
    assert.ok(next > epoch, "each start has a new epoch");
    epoch = next;
    const temporary = readdirSync(folder).filter((name) => !["snapshot.json", "backup.db"].includes(name));
    assert.ok(temporary.length <= 5, `temporary files accumulate: ${temporary}`);
  }
  const whole = startBackup(agent.dataDir, backup);
  assert.deepEqual(await once(whole, "exit"), [0, null]);
  assert.ok(isCopyValid(backup));
  const texts = ((await statusRows(agent.base))["web0"]?.comments ?? []).map(({ text }) => text);
  assert.deepEqual(
    texts,
    Array.from({ length: rounds }, (_, n) => `round ${n}`),
  );
  await agent.stop();
  assert.deepEqual(
    readdirSync(folder).sort(),
    ["backup.db", "snapshot.json"],
    "no temporary file after programs that ended in order",
  );
});
