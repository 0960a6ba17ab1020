import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type TestContext, test } from "node:test";
import { call } from "../run/call.ts";
import { type Running, startAgent, startTcpTarget, tempFolder } from "../run/processes.ts";
import { hostTarget, rowsOf } from "../run/rows.ts";
import { until } from "../run/until.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const config = `hosts: web1: {address: "a", ${passive}}\n`;

/** What a client knows of a comment: answered calls are certain, a call that got no answer may have come to pass. */
type Fate = "there" | "gone" | "unknown";

test("[I1] [F02] of a thousand commands none that was answered is lost or undone by kill -9 at any moment", async (t) => {
  const agent = await startAgent(t, { config });
  const fates = new Map<string, Fate>();
  let unanswered = 0;
  let enabled: boolean | undefined;
  let kill: NodeJS.Timeout | undefined;
  let killed: Promise<unknown> | undefined;
  /** The kill comes at a moment that has nothing to do with where the commands are. */
  const armKill = (): void => {
    killed = new Promise((done) => {
      kill = setTimeout(() => void agent.stop("SIGKILL").then(done), 50 + Math.random() * 400);
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
  const row = (await rowsOf(agent.base))["web1"];
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
  const agent = await startAgent(t, { config });
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

/** A disk of its own for an agent's data; undefined where that may not be. */
function tinyDisk(t: TestContext): string | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const dir = mkdtempSync(join(tmpdir(), "realmwatch-disk-"));
  let mounted = false;
  // One hook for both: a folder that is still mounted cannot be removed.
  t.after(() => {
    if (mounted) execFileSync("umount", ["-l", dir]);
    rmSync(dir, { recursive: true, force: true });
  });
  mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=4m", "tmpfs", dir]).status === 0;
  if (!mounted) return undefined;
  return dir;
}

const journalLine = async (agent: Running): Promise<{ ready: boolean; body: string }> => {
  const answer = await fetch(`${agent.base}/readyz`);
  return { ready: answer.ok, body: await answer.text() };
};
const metric = async (agent: Running, name: string): Promise<string | undefined> =>
  new RegExp(`^realmwatch_${name} (.*)$`, "m").exec(await (await fetch(`${agent.base}/metrics`)).text())?.[1];
const addComment = (agent: Running, text: string) =>
  call(agent.base, "CommandService/AddComment", { target: hostTarget("web1"), author: "ann", text });

/** Takes all that is left, whoever else writes meanwhile. */
function fillUp(dir: string): void {
  const file = openSync(join(dir, "ballast"), "w");
  try {
    for (;;) writeSync(file, Buffer.alloc(4096));
  } catch (error) {
    assert.equal((error as NodeJS.ErrnoException).code, "ENOSPC");
  } finally {
    closeSync(file);
  }
}

const limitFiles = (agent: Running, bytes: string): void =>
  void execFileSync("prlimit", [`--pid=${agent.pid}`, `--fsize=${bytes}`]);

type Disk = { readonly dir: string; readonly agent: Running };
/** A disk that takes nothing, or that fails: `spoil` makes it so, `mend` sets it right. */
const sickDisks: readonly (readonly [name: string, spoil: (disk: Disk) => void, mend: (disk: Disk) => void])[] = [
  ["full", ({ dir }) => fillUp(dir), ({ dir }) => rmSync(join(dir, "ballast"))],
  ["failing", ({ agent }) => limitFiles(agent, "4096:"), ({ agent }) => limitFiles(agent, "unlimited:")],
];
for (const [name, spoil, mend] of sickDisks)
  test(`[F31] a ${name} disk refuses commands, stops no check, is told, and heals by itself`, async (t) => {
    const disk = tinyDisk(t);
    if (disk === undefined) return t.skip("needs root, to mount a tiny tmpfs");
    const target = await startTcpTarget(t);
    const quick = `check: {type: "tcp", address: "${target.address}", check_interval: "300ms", retry_interval: "300ms", timeout: "1s", max_attempts: 2, flap: {enabled: false}}`;
    const agent = await startAgent(t, {
      config: `hosts: web1: {address: "a", ${quick}}\n`,
      flags: { "data-dir": join(disk, "data") },
    });
    await until("well", async () => (await rowsOf(agent.base))["web1"]?.status === "STATUS_OK");
    assert.ok((await addComment(agent, "before")).ok);
    try {
      spoil({ dir: disk, agent });
    } catch (error) {
      return t.skip(`the disk cannot be made ${name}: ${error}`);
    }
    // On a full disk what is small may still fit into pages that are there.
    const refused = await until("refused", async () => {
      const answer = await addComment(agent, "x".repeat(20_000));
      return !answer.ok && answer;
    });
    assert.equal(refused.code, "unavailable");
    assert.match(refused.message, name === "full" ? /the disk is full/ : /input\/output error/);
    await target.close();
    await until(
      "the check goes on",
      async () =>
        (await rowsOf(agent.base))["web1"]?.stateType === "STATE_TYPE_HARD" &&
        (await rowsOf(agent.base))["web1"]?.status === "STATUS_CRITICAL",
    );
    await until("it is told", async () => {
      const { ready, body } = await journalLine(agent);
      return !ready && body.includes("journal") && (await metric(agent, "journal_writable")) === "0";
    });
    mend({ dir: disk, agent });
    await until(
      "it heals",
      async () => (await journalLine(agent)).ready && (await metric(agent, "journal_writable")) === "1",
    );
    assert.ok((await addComment(agent, "after")).ok);
    await agent.stop("SIGKILL");
    await agent.restart();
    const row = (await rowsOf(agent.base))["web1"];
    const texts = (row?.comments ?? []).map(({ text }) => text);
    assert.ok(texts.includes("before") && texts.includes("after"));
    assert.equal(row?.status, "STATUS_CRITICAL", "what was learnt meanwhile is kept");
  });

test("[F32] a data directory that is in use, of another realm, newer or foreign is refused in one line, exit 1", async (t) => {
  const agent = await startAgent(t, { config, realm: "fra" });
  const refusedWith = (flags: object, why: RegExp, realm = "fra") =>
    assert.rejects(startAgent(t, { config, realm, flags: { "data-dir": agent.dataDir, ...flags } }), (error: Error) => {
      assert.match(error.message, /ended with 1:/);
      const lines = error.message.slice(error.message.indexOf("ended with 1:")).split("\n").slice(1);
      const said = lines.filter((line) => line.startsWith("realmwatch-agent: "));
      assert.deepEqual([said.length, why.test(said[0] ?? "")], [1, true], error.message);
      return true;
    });
  await refusedWith({}, /in use by another process/);
  await agent.stop();
  await refusedWith({}, /belongs to realm "fra", not to "ams"/, "ams");
  const db = new DatabaseSync(join(agent.dataDir, "journal.db"));
  db.exec("PRAGMA user_version = 99");
  db.close();
  await refusedWith({}, /written by a newer version/);
});
