import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan, ProcessPlan } from "@realmwatch/shared/config/plan";
import { flapPlan, schedulePlan, tcpCheck } from "../plans.fixture.ts";
import { objectScenario } from "../step.fixture.ts";

const host = {
  ref: "web1",
  key: { kind: "host", name: "web1" },
  parents: [],
  children: [],
  services: [],
  check: tcpCheck,
  schedule: schedulePlan,
  flap: flapPlan,
} as unknown as HostPlan;
const shop = {
  ref: "process:shop",
  key: { kind: "process", name: "shop" },
  rule: { kind: "ref", ref: "web1!http" },
  inputs: ["web1!http"],
  flap: flapPlan,
} as unknown as ProcessPlan;

test("[FL1] results while the host is down are not counted", () => {
  const it = objectScenario();
  it.result(1, "ok");
  for (let n = 2; n < 20; n += 1) it.result(n, n % 2 ? "ok" : "critical", {}, { hostDown: true });
  assert.equal(it.state().flap.value, 0);
});

test("[FL1] results of an unreachable host are not counted, and a submitted unreachable counts as down", () => {
  const behind = objectScenario(host, { parents: "all_down" });
  behind.result(1, "ok");
  behind.result(2, "critical");
  assert.equal(behind.state().flap.value, 0);
  behind.result(3, "ok");
  assert.ok(behind.state().flap.value > 0, "its own ok result counts, although its parents are down");
  const it = objectScenario(host);
  it.result(1, "critical");
  it.result(2, "unreachable");
  assert.equal(it.state().flap.value, 0);
});

test("[FL4] an unchanged process has a stable sample every minute, until its flap value is zero", () => {
  const it = objectScenario(shop);
  for (const [nowMs, status] of [
    [1, "ok"],
    [2, "critical"],
    [3, "ok"],
    [4, "critical"],
    [5, "ok"],
  ] as const)
    it.result(nowMs, status, { origin: "rule" });
  assert.equal(it.state().flap.flapping, true);
  assert.equal(it.dueMs(), 60_005);
  for (let minute = 1; minute <= 8; minute += 1) it.send(5 + minute * 60_000, { kind: "due" });
  assert.equal(it.state().flap.flapping, false);
  assert.deepEqual(it.history.slice(-2), ["flapping_stop", "comment_deleted"]);
  it.send(86_400_000, { kind: "due" });
  assert.equal(it.dueMs(), Number.POSITIVE_INFINITY, "the flap value is zero");
});

test("[FL5] while an object flaps it has one comment about it, beside those of other authors", () => {
  const it = objectScenario();
  const authors = () => it.state().comments.map(({ author }) => author);
  const comment = { id: "c1", author: "ann", onBehalfOf: "", text: "an old line", atMs: 1 };
  it.send(1, { kind: "add_comment", comment });
  for (let nowMs = 1; nowMs <= 5; nowMs += 1) it.result(nowMs, nowMs % 2 === 0 ? "critical" : "ok");
  assert.deepEqual(authors(), ["ann", "realmwatch"]);
  it.result(6, "critical");
  assert.deepEqual(authors(), ["ann", "realmwatch"], "there is one comment");
  it.send(7, { kind: "set_toggle", toggle: "flapDetection", enabled: false, by: { author: "ann", onBehalfOf: "" } });
  assert.deepEqual(authors(), ["ann"], "flap detection is off");
});
