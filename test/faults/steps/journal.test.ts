import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { call } from "../../run/call.ts";
import { startTestAgent, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const config = `hosts: web1: {address: "a", ${passive}}\n`;

/** What a client knows of a comment: answered calls are certain, a call that got no answer may have come to pass. */
type Fate = "there" | "gone" | "unknown";

test("[I1] [F02] of a thousand commands none that was answered is lost or undone by kill -9 at any moment", async (t) => {
  const random = seededRandom(testSeed(t));
  const agent = await startTestAgent(t, { config });
  const fates = new Map<string, Fate>();
  let unanswered = 0;
  let enabled: boolean | undefined;
  let kill: NodeJS.Timeout | undefined;
  let killed: Promise<unknown> | undefined;
  /** The kill comes at a moment that has nothing to do with where the commands are. */
  const armKill = (): void => {
    killed = new Promise((done) => {
      kill = setTimeout(() => void agent.stop("SIGKILL").then(done), 50 + random.upTo(400));
    });
  };
  const send = async (rpc: string, body: object): Promise<Readonly<Record<string, unknown>> | undefined> => {
    try {
      const answer = await call(agent.base, `CommandService/${rpc}`, body);
      assert.ok(answer.ok, `${rpc}: ${answer.code} ${answer.message}`);
      return answer.body;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      unanswered += 1;
      await killed;
      await agent.restart();
      armKill();
      return undefined;
    }
  };
  armKill();
  for (let i = 0; i < 1000; i++) {
    const [id] = [...fates].findLast(([, fate]) => fate === "there") ?? [];
    if (i % 10 === 9) {
      const answer = await send("SetObjectNotifications", { target: hostTarget("web1"), enabled: i % 20 === 9 });
      enabled = answer === undefined ? undefined : i % 20 === 9;
    } else if (i % 3 === 2 && id !== undefined) {
      const answer = await send("DeleteComment", { commentId: id });
      fates.set(id, answer === undefined ? "unknown" : "gone");
    } else {
      const answer = await send("AddComment", { target: hostTarget("web1"), author: "ann", text: String(i) });
      if (answer !== undefined) fates.set(String(answer["commentId"]), "there");
    }
  }
  clearTimeout(kill);
  await agent.stop("SIGKILL");
  await agent.restart();
  const row = (await statusRows(agent.base))["web1"];
  const comments = row?.comments ?? [];
  const found = new Set(comments.map(({ id }) => id));
  assert.equal(found.size, comments.length, "no id twice");
  for (const [id, fate] of fates)
    if (fate !== "unknown") assert.equal(found.has(id), fate === "there", `${id} is ${fate}`);
  if (enabled !== undefined) assert.equal(row?.["notificationsEnabled"] ?? false, enabled);
  assert.ok(unanswered > 0, "it was killed among the commands");
  const db = new DatabaseSync(join(agent.dataDir, "journal.db"), { readOnly: true });
  const accepted = Number(db.prepare("SELECT count(*) AS n FROM audit").get()?.["n"]);
  const commands = Number(db.prepare("SELECT value FROM meta WHERE name = 'last_command'").get()?.["value"]);
  db.close();
  assert.equal(accepted, commands, "[I16] one audit record each");
});

test("[F03] an answer is written after the sync of what it promises", async (t) => {
  if (spawnSync("strace", ["-V"]).status !== 0) return t.skip("needs strace");
  const agent = await startTestAgent(t, { config });
  const log = join(tempFolder(t), "strace");
  const calls = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";
  const strace = spawn("strace", ["-f", "-s", "40", "-e", calls, "-o", log, "-p", String(agent.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  t.after(() => strace.kill());
  const [said] = await once(strace.stderr, "data");
  if (!String(said).includes("attached")) return t.skip(`strace may not attach: ${String(said).trim()}`);
  const commands = 30;
  for (let i = 0; i < commands; i++) {
    const answer = await call(agent.base, "CommandService/AddComment", {
      target: hostTarget("web1"),
      author: "ann",
      text: String(i),
    });
    assert.ok(answer.ok);
  }
  strace.kill("SIGINT");
  await once(strace, "exit");
  const events = readFileSync(log, "utf8")
    .split("\n")
    .flatMap((line) =>
      /f(data)?sync(\(| resumed).*= 0/.test(line) ? ["sync"] : line.includes("HTTP/1.1 200") ? ["answer"] : [],
    );
  assert.equal(events.filter((event) => event === "answer").length, commands);
  events.forEach((event, at) => {
    if (event === "answer") assert.equal(events[at - 1], "sync", `answer ${at}`);
  });
});
