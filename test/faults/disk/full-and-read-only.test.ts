import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { startTcpTarget, startTestAgent, type TestProgram, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { countDeliveries, notificationSequences } from "../kills/crash-points.ts";
import { storedAuditRecords, wholeHistory } from "../kills/stored-records.ts";
import { failingDisk, memoryDisk, mountSkipReason } from "./test-disks.ts";

type FaultyDisk = {
  readonly dir: string;
  /** Makes writes fail. */
  break(agent: TestProgram): void;
  /** Makes writes work again under a running agent; undefined when that needs a stopped one. */
  heal?(agent: TestProgram): void;
  /** Makes writes work again while no program uses the disk. */
  repair?(): void;
};

type DiskFault = {
  readonly name: string;
  /** Returns undefined when this machine does not permit it. */
  readonly open: (scope: TestScope) => FaultyDisk | undefined;
  readonly reason: RegExp;
};

const diskFaults: readonly DiskFault[] = [
  {
    name: "full",
    reason: /the disk is full/,
    open(scope) {
      const disk = memoryDisk(scope, 6);
      return disk && { dir: disk.dir, break: disk.fill, heal: disk.empty };
    },
  },
  {
    name: "read-only",
    reason: /the disk is read-only/,
    open(scope) {
      const disk = failingDisk(scope, 16);
      return disk && { dir: disk.dir, break: disk.fail, repair: disk.repair };
    },
  },
  {
    // As with a quota: writes fail although there is free space.
    name: "limited",
    reason: /input\/output error/,
    open: (scope) => ({
      dir: tempFolder(scope, "disk"),
      break: (agent) => limitFiles(agent, "4096:"),
      heal: (agent) => limitFiles(agent, "unlimited:"),
    }),
  },
];

const limitFiles = ({ pid }: TestProgram, bytes: string): void =>
  void execFileSync("prlimit", [`--pid=${pid}`, `--fsize=${bytes}`]);

const documentOf = (target: string, receiver: string): string => `
contacts: ann: {type: "webhook", url: "${receiver}/ann"}
notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]
hosts: web1: {address: "a", notification: "ops", check: {
	type: "tcp", address: "${target}", check_interval: "300ms", retry_interval: "300ms", timeout: "20s"
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

/** Number of notifications that the journal holds as undelivered. */
function undeliveredCount({ dataDir }: TestProgram): number {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    return Number(db.prepare("SELECT count(*) AS n FROM notification").get()?.["n"]);
  } finally {
    db.close();
  }
}

const countOf = (text: string, what: string): number => text.split(what).length - 1;

for (const { name, open, reason } of diskFaults)
  test(`[DU16, DU3, AU1] with a ${name} disk commands are refused and none is lost; checks and notifications continue; it is reported once`, async (t) => {
    const disk = open(t);
    if (disk === undefined) return t.skip(mountSkipReason || "this kernel does not mount what the test needs");
    const [target, receiver] = [await startTcpTarget(t), await startWebhookReceiver(t)];
    const agent = await startTestAgent(t, {
      config: documentOf(target.address, receiver.url),
      flags: { "data-dir": join(disk.dir, "data") },
    });
    const { pid } = agent;
    const notified = (): string => notificationSequences(receiver.delivered).get("ann web1") ?? "";
    const [accepted, refused]: [string[], string[]] = [[], []];
    const addComment = async (text: string): Promise<boolean> => {
      const request = { target: hostTarget("web1"), author: "ann", text };
      const answer = await call(agent.base, "CommandService/AddComment", request);
      (answer.ok ? accepted : refused).push(text);
      if (answer.ok) return true;
      assert.ok(["unavailable", "resource_exhausted"].includes(answer.code), answer.code);
      assert.match(answer.message, reason);
      return false;
    };
    const status = async (): Promise<string | undefined> => (await statusRows(agent.base))["web1"]?.status;
    await until("the host is ok", async () => (await status()) === "STATUS_OK");
    for (let at = 0; at < 5; at += 1) assert.ok(await addComment(`before ${at}`));

    try {
      disk.break(agent);
    } catch (error) {
      return t.skip(`the disk cannot be made ${name}: ${error}`);
    }
    // On a full disk a small write may still fit into existing pages.
    await until("a command is refused", async () => !(await addComment(`${refused.length} ${"x".repeat(20_000)}`)));
    await target.close();
    await until("the problem is notified", () => notified() === "PROBLEM");
    await target.open();
    await until("the recovery is notified", () => notified() === "PROBLEM RECOVERY");
    for (let at = 0; at < 30; at += 1)
      await addComment(`meanwhile ${at} ${"x".repeat(at % 3 === 0 ? 20_000 : 100 * at)}`);
    const unknown = await call(agent.base, "CommandService/DeleteComment", { commentId: "no such" });
    assert.equal(unknown.code, "not_found", "other refusals keep their code");
    await until("it is reported", async () => {
      const { ready, body } = await readiness(agent);
      const metric = await metricsOf(agent);
      return !ready && reason.test(body) && metric("journal_writable") === 0 && metric("journal_failures_total") === 1;
    });
    const { bavail, bsize } = statfsSync(disk.dir);
    const free = (await metricsOf(agent))("data_dir_free_bytes");
    assert.ok(Math.abs(free - bavail * bsize) <= 1024 * 1024, `${free} bytes, and ${bavail * bsize} by the system`);
    assert.equal(countOf(agent.output(), "the journal accepts no writes"), 1, "logged once");

    const rejectedCount = () => storedAuditRecords(agent).filter(({ outcome }) => outcome === "rejected").length;
    if (disk.heal) {
      disk.heal(agent);
      await until(
        "the disk works again",
        async () => (await readiness(agent)).ready && (await metricsOf(agent))("journal_writable") === 1,
      );
      assert.ok(await addComment("after"));
      assert.equal(agent.pid, pid, "without a restart");
      await until("audit records that waited are stored", () => rejectedCount() === 1);
      await until("delivered notifications are stored as such", () => undeliveredCount(agent) === 0);
      await until("that is logged", () => countOf(agent.output(), "the journal accepts writes again") === 1);
      assert.equal(countOf(agent.output(), "the journal accepts no writes"), 1, "logged once");
      const history = await wholeHistory(agent, {});
      await agent.stop("SIGKILL");
      await agent.restart();
      const kept = new Set((await wholeHistory(agent, {})).map(({ id }) => id));
      assert.deepEqual(
        history.filter(({ id }) => !kept.has(id)),
        [],
        "history",
      );
      const meanwhile = history.filter(
        ({ type }) => type === "HISTORY_TYPE_STATE" || type === "HISTORY_TYPE_NOTIFICATION_QUEUED",
      );
      assert.deepEqual(
        meanwhile
          .slice(-4)
          .map(({ type, status: to }) => `${type} ${to}`)
          .sort(),
        ["NOTIFICATION_QUEUED", "STATE"].flatMap((type) =>
          ["CRITICAL", "OK"].map((to) => `HISTORY_TYPE_${type} STATUS_${to}`),
        ),
        "history of the outage",
      );
    } else {
      await agent.stop("SIGKILL");
      disk.repair?.();
      await agent.restart();
      await until("the host is ok", async () => (await status()) === "STATUS_OK");
      assert.ok(await addComment("after"));
    }
    accepted.sort();
    await until("all accepted comments exist", async () => (await commentsOf(agent)).length >= accepted.length);
    assert.deepEqual(await commentsOf(agent), accepted, "no other comments");
    const records = storedAuditRecords(agent).filter(
      ({ outcome, rpc }) => outcome === "accepted" && rpc.endsWith("/AddComment"),
    );
    assert.equal(records.length, accepted.length, "one audit record each");
    assert.equal(rejectedCount(), disk.heal ? 1 : 0);
    const maxTimes = disk.heal ? 1 : 2;
    for (const [id, times] of countDeliveries(receiver.delivered))
      assert.ok(times <= maxTimes, `${id} was delivered ${times} times`);
    assert.ok(notified().startsWith("PROBLEM RECOVERY"), notified());
    assert.doesNotMatch(agent.output(), /UnhandledPromise|uncaught|at .*\.ts:\d+/i);
  });
