import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { type TestScope, type TestProgram, startTestAgent, startTcpTarget, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { storedAuditRecords, wholeHistory } from "../kills/stored-records.ts";
import { countDeliveries, notificationSequences } from "../kills/crash-points.ts";
import { mountSkipReason, failingDisk, memoryDisk } from "./test-disks.ts";

type SickDisk = {
  readonly dir: string;
  spoil(agent: TestProgram): void;
  /** Sets it right under a running agent. Left out where only an agent that has let go of it allows that. */
  mend?(agent: TestProgram): void;
  /** Sets it right while nobody uses it. */
  repair?(): void;
};

type Sickness = {
  readonly name: string;
  /** Undefined where it may not be had here. */
  readonly open: (scope: TestScope) => SickDisk | undefined;
  readonly says: RegExp;
};

const sicknesses: readonly Sickness[] = [
  {
    name: "full",
    says: /the disk is full/,
    open(scope) {
      const disk = memoryDisk(scope, 6);
      return disk && { dir: disk.dir, spoil: disk.fill, mend: disk.empty };
    },
  },
  {
    name: "read-only",
    says: /the disk is read-only/,
    open(scope) {
      const disk = failingDisk(scope, 16);
      return disk && { dir: disk.dir, spoil: disk.fail, repair: disk.repair };
    },
  },
  {
    // What a quota does, too: writes fail, and there is room.
    name: "limited",
    says: /input\/output error/,
    open: (scope) => ({
      dir: tempFolder(scope, "disk"),
      spoil: (agent) => limitFiles(agent, "4096:"),
      mend: (agent) => limitFiles(agent, "unlimited:"),
    }),
  },
];

const limitFiles = ({ pid }: TestProgram, bytes: string): void =>
  void execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]);

const documentOf = (target: string, receiver: string): string => `
contacts: ann: {type: "webhook", url: "${receiver}/ann"}
notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]
hosts: web1: {address: "a", notification: "ops", check: {
	type: "tcp", address: "${target}", check_interval: "300ms", retry_interval: "300ms", timeout: "1s"
	max_attempts: 1, flap: {enabled: false}
}}
`;

const metricsOf = async ({ base }: TestProgram): Promise<(name: string) => number> => {
  const text = await (await fetch(`${base}/metrics`)).text();
  return (name) => Number(new RegExp(`^realmwatch_${name} (.*)$`, "m").exec(text)?.[1] ?? Number.NaN);
};

async function readiness({ base }: TestProgram): Promise<{ ready: boolean; body: string }> {
  const answer = await fetch(`${base}/readyz`);
  return { ready: answer.ok, body: await answer.text() };
}

const commentsOf = async (agent: TestProgram): Promise<string[]> =>
  ((await statusRows(agent.base))["web1"]?.comments ?? []).map(({ text }) => text).sort();

/** Ids of messages that the journal holds to be delivered. */
function undelivered({ dataDir }: TestProgram): number {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM notification").get()?.["n"]);
  } finally {
    db.close();
  }
}

const countOf = (text: string, what: string): number => text.split(what).length - 1;

for (const { name, open, says } of sicknesses)
  test(`[F31, DU3, AU1] a ${name} disk refuses commands and loses none that it took; checks and messages go on; it is told, once`, async (t) => {
    const disk = open(t);
    if (disk === undefined) return t.skip(mountSkipReason || "this kernel does not mount what the test needs");
    const [target, receiver] = [await startTcpTarget(t), await startWebhookReceiver(t)];
    const agent = await startTestAgent(t, {
      config: documentOf(target.address, receiver.url),
      flags: { "data-dir": join(disk.dir, "data") },
    });
    const { pid } = agent;
    const told = (): string => notificationSequences(receiver.delivered).get("ann web1") ?? "";
    const [taken, refused]: [string[], string[]] = [[], []];
    const say = async (text: string): Promise<boolean> => {
      const request = { target: hostTarget("web1"), author: "ann", text };
      const answer = await call(agent.base, "CommandService/AddComment", request);
      (answer.ok ? taken : refused).push(text);
      if (answer.ok) return true;
      assert.ok(["unavailable", "resource_exhausted"].includes(answer.code), answer.code);
      assert.match(answer.message, says);
      return false;
    };
    const status = async (): Promise<string | undefined> => (await statusRows(agent.base))["web1"]?.status;
    await until("well", async () => (await status()) === "STATUS_OK");
    for (let at = 0; at < 5; at += 1) assert.ok(await say(`before ${at}`));

    try {
      disk.spoil(agent);
    } catch (error) {
      return t.skip(`the disk cannot be made ${name}: ${error}`);
    }
    // On a full disk what is small may still fit into pages that are there.
    await until("a command is refused", async () => !(await say(`${refused.length} ${"x".repeat(20_000)}`)));
    await target.close();
    await until("somebody is told of the problem", () => told() === "PROBLEM");
    await target.open();
    await until("and of its end", () => told() === "PROBLEM RECOVERY");
    for (let at = 0; at < 30; at += 1) await say(`meanwhile ${at} ${"x".repeat(at % 3 === 0 ? 20_000 : 100 * at)}`);
    const unknown = await call(agent.base, "CommandService/DeleteComment", { commentId: "no such" });
    assert.equal(unknown.code, "not_found", "what is wrong is still told apart");
    await until("it is told", async () => {
      const { ready, body } = await readiness(agent);
      const metric = await metricsOf(agent);
      return !ready && says.test(body) && metric("journal_writable") === 0 && metric("journal_failures_total") === 1;
    });
    const { bavail, bsize } = statfsSync(disk.dir);
    const free = (await metricsOf(agent))("data_dir_free_bytes");
    assert.ok(Math.abs(free - bavail * bsize) <= 1024 * 1024, `${free} bytes, and the system says ${bavail * bsize}`);
    assert.equal(countOf(agent.output(), "the journal accepts no writes"), 1, "said once");

    const sickAudit = () => storedAuditRecords(agent).filter(({ outcome }) => outcome === "rejected").length;
    if (disk.mend) {
      disk.mend(agent);
      await until(
        "it heals",
        async () => (await readiness(agent)).ready && (await metricsOf(agent))("journal_writable") === 1,
      );
      assert.ok(await say("after"));
      assert.equal(agent.pid, pid, "by itself");
      await until("records that waited are kept", () => sickAudit() === 1);
      await until("what was delivered is known as such", () => undelivered(agent) === 0);
      await until("that is told", () => countOf(agent.output(), "the journal accepts writes again") === 1);
      assert.equal(countOf(agent.output(), "the journal accepts no writes"), 1, "said once");
      const history = await wholeHistory(agent, {});
      await agent.stop("SIGKILL");
      await agent.restart();
      const kept = new Set((await wholeHistory(agent, {})).map(({ id }) => id));
      assert.deepEqual(
        history.filter(({ id }) => !kept.has(id)),
        [],
        "history",
      );
      const tale = history.filter(({ type }) => type === "HISTORY_TYPE_STATE" || type === "HISTORY_TYPE_NOTIFICATION");
      assert.deepEqual(
        tale
          .slice(-4)
          .map(({ type, status: to }) => `${type} ${to}`)
          .sort(),
        ["NOTIFICATION", "STATE"].flatMap((type) =>
          ["CRITICAL", "OK"].map((to) => `HISTORY_TYPE_${type} STATUS_${to}`),
        ),
        "what happened meanwhile",
      );
    } else {
      await agent.stop("SIGKILL");
      disk.repair?.();
      await agent.restart();
      await until("well", async () => (await status()) === "STATUS_OK");
      assert.ok(await say("after"));
    }
    taken.sort();
    await until("all that were taken are there", async () => (await commentsOf(agent)).length >= taken.length);
    assert.deepEqual(await commentsOf(agent), taken, "and no other");
    const accepted = storedAuditRecords(agent).filter(({ outcome, rpc }) => outcome === "accepted" && rpc.endsWith("/AddComment"));
    assert.equal(accepted.length, taken.length, "one record each");
    assert.equal(sickAudit(), disk.mend ? 1 : 0);
    const most = disk.mend ? 1 : 2;
    for (const [id, times] of countDeliveries(receiver.delivered)) assert.ok(times <= most, `${id} came ${times} times`);
    assert.ok(told().startsWith("PROBLEM RECOVERY"), told());
    assert.doesNotMatch(agent.output(), /UnhandledPromise|uncaught|at .*\.ts:\d+/i);
  });
