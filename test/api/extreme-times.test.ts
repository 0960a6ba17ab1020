import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent } from "../run/processes.ts";
import { hostTarget, statusRows } from "../run/rows.ts";

const [first, last] = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z"];
const longest = "315576000000s";
const now = (offsetMs: number): string => new Date(Date.now() + offsetMs).toISOString();

/** Commands with the first and last times and the longest spans that the protocol has; each may be refused or accepted. */
const commands: readonly ((target: object, object: object) => [rpc: string, request: object])[] = [
  (target) => ["ScheduleDowntime", { target, start: first, end: last }],
  (target) => ["ScheduleDowntime", { target, start: first, end: now(60_000), flexible: { duration: longest } }],
  (target) => ["ScheduleDowntime", { target, start: now(-1_000), end: last, flexible: { duration: longest } }],
  (target) => ["ScheduleDowntime", { target, start: now(-1_000), end: now(60_000), flexible: { duration: longest } }],
  (target) => ["ScheduleDowntime", { target, start: "9999-01-01T00:00:00Z", end: last }],
  (target) => ["ScheduleDowntime", { target, start: first, end: "0001-01-02T00:00:00Z" }],
  (target) => ["ScheduleDowntime", { target, start: now(0), end: now(60_000), flexible: { duration: "0.000000001s" } }],
  (target) => ["AcknowledgeProblem", { target, author: "ann", comment: "x", expiresAt: last }],
  (target) => ["AcknowledgeProblem", { target, author: "ann", comment: "x", expiresAt: first }],
  (_, object) => ["ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "x", executedAt: first }],
  (_, object) => ["ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "x", executedAt: last }],
  (_, object) => ["ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "x", executionTime: longest }],
  (_, object) => [
    "ProcessCheckResult",
    { object, status: "STATUS_CRITICAL", output: "x", executionTime: `-${longest}` },
  ],
];

test("[IN15] times and spans at the bounds of the protocol are refused or harmless, also after a restart", async (t) => {
  const check = '{type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}';
  const names = commands.map((_, n) => `h${n}`);
  const config = names.map((name) => `hosts: ${name}: {address: "x", check: ${check}}\n`).join("");
  const agent = await startTestAgent(t, { config });
  const codes = new Set<string>();
  const accepted: string[] = [];
  for (const [n, make] of commands.entries()) {
    const target = hostTarget(names[n] ?? "");
    const [rpc, request] = make(target, target.object);
    const answer = await call(agent.base, `CommandService/${rpc}`, request);
    codes.add(answer.code);
    if (answer.ok) accepted.push(`${n} ${rpc}`);
    const result = { object: target.object, status: "STATUS_CRITICAL", output: "down" };
    assert.equal((await call(agent.base, "CommandService/ProcessCheckResult", result)).ok, true);
  }
  t.diagnostic(accepted.join(", "));
  codes.delete("");
  assert.deepEqual([...codes], ["invalid_argument"]);
  const checkReads = async (): Promise<void> => {
    await until("all results are applied", async () =>
      Object.values(await statusRows(agent.base)).every(({ status }) => status === "STATUS_CRITICAL"),
    );
    for (const rpc of ["ListHistory", "ListObjects", "GetServerInfo", "ListContacts"]) {
      const { ok, message } = await call(agent.base, `QueryService/${rpc}`, {});
      assert.equal(ok, true, `${rpc}: ${message}`);
    }
    assert.equal((await fetch(`${agent.base}/metrics?objects=1`)).status, 200);
  };
  await checkReads();
  await agent.stop("SIGKILL");
  await agent.restart();
  await checkReads();
  assert.doesNotMatch(agent.output(), /RangeError|TypeError|unhandled/);
});
