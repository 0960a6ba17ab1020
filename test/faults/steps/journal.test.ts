import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { call } from "../../run/call.ts";
import { startTestAgent, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
/** Number of kills; `npm run test:soak` kills more often. The slower the machine, the more there would be without a limit. */
const kills = process.env["REALMWATCH_EVERY"] === "1" ? 20 : 8;
const config = `hosts: web1: {address: "a", ${passive}}\n`;

/** State of a comment by the calls of its client; `unknown` when a call got no response. */
type CommentState = "there" | "gone" | "unknown";

test("[DU12, AU1] of a thousand commands none that was answered is lost or undone by kill -9 at random times", async (t) => {
  const random = seededRandom(testSeed(t));
  const agent = await startTestAgent(t, { config });
  const states = new Map<string, CommentState>();
  let unanswered = 0;
  let enabled: boolean | undefined;
  let kill: NodeJS.Timeout | undefined;
  let killed: Promise<unknown> | undefined;
  let killsLeft = kills;
  /** Starts a timer for the next kill, independent of the commands. */
  const scheduleKill = (): void => {
    if (killsLeft === 0) return;
    killsLeft -= 1;
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
      scheduleKill();
      return undefined;
    }
  };
  scheduleKill();
  for (let i = 0; i < 1000; i++) {
    const [id] = [...states].findLast(([, state]) => state === "there") ?? [];
    if (i % 10 === 9) {
      const answer = await send("SetObjectNotifications", { target: hostTarget("web1"), enabled: i % 20 === 9 });
      enabled = answer === undefined ? undefined : i % 20 === 9;
    } else if (i % 3 === 2 && id !== undefined) {
      const answer = await send("DeleteComment", { commentId: id });
      states.set(id, answer === undefined ? "unknown" : "gone");
    } else {
      const answer = await send("AddComment", { target: hostTarget("web1"), author: "ann", text: String(i) });
      if (answer !== undefined) states.set(String(answer["commentId"]), "there");
    }
  }
  clearTimeout(kill);
  await agent.stop("SIGKILL");
  await agent.restart();
  const row = (await statusRows(agent.base))["web1"];
  const comments = row?.comments ?? [];
  const found = new Set(comments.map(({ id }) => id));
  assert.equal(found.size, comments.length, "no id is duplicated");
  for (const [id, state] of states)
    if (state !== "unknown") assert.equal(found.has(id), state === "there", `${id} is ${state}`);
  if (enabled !== undefined) assert.equal(row?.["notificationsEnabled"] ?? false, enabled);
  assert.ok(unanswered > 0, "the agent was killed during commands");
  const db = new DatabaseSync(join(agent.dataDir, "journal.db"), { readOnly: true });
  const accepted = Number(db.prepare("SELECT count(*) AS n FROM audit").get()?.["n"]);
  const commands = Number(db.prepare("SELECT value FROM meta WHERE name = 'last_command'").get()?.["value"]);
  db.close();
  assert.equal(accepted, commands, "one audit record for each command");
});

test("[DU13] a response is written after the sync of the command", async (t) => {
  if (spawnSync("strace", ["-V"]).status !== 0) return t.skip("needs strace");
  const agent = await startTestAgent(t, { config });
  const log = join(tempFolder(t), "strace");
  const calls = "trace=fsync,fdatasync,write,writev,sendto,sendmsg";
  const strace = spawn("strace", ["-f", "-s", "40", "-e", calls, "-o", log, "-p", String(agent.pid)], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  atEnd(t, () => strace.kill());
  const [firstOutput] = await once(strace.stderr, "data");
  if (!String(firstOutput).includes("attached")) return t.skip(`strace may not attach: ${String(firstOutput).trim()}`);
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
