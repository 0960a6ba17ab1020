import assert from "node:assert/strict";
import { test } from "node:test";
import type { ServicePlan } from "@realmwatch/shared/config/plan";
import { annAuthor, httpServicePlan, objectScenario } from "../step.fixture.ts";
import { statusOf } from "./object-state.ts";

const passive = {
  ...httpServicePlan,
  check: { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "warning" },
} as ServicePlan;

test("[FR1] without a result for the threshold the object gets a stale result, once per threshold", () => {
  const it = objectScenario(passive);
  it.result(1000, "ok", { origin: "passive" });
  assert.equal(it.dueMs(), 61_000);
  it.send(60_999, { kind: "due" });
  assert.equal(statusOf(it.state().phase), "ok");
  it.send(61_000, { kind: "due" });
  assert.equal(statusOf(it.state().phase), "warning");
  assert.equal(it.dueMs(), 121_000);
});

test("[FR2] a stale result names the time since the last result, and a late real result replaces it", () => {
  const it = objectScenario(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(61_000, { kind: "due" });
  assert.match(it.state().last?.output ?? "", /no result for 60 s/);
  it.result(62_000, "ok", { origin: "passive" });
  assert.equal(statusOf(it.state().phase), "ok");
});

test("[FR2, ST8] a real result newer than the last real one counts, also when it is older than a stale result", () => {
  for (const [executedAtMs, status] of [
    [999, "warning"],
    [1001, "ok"],
  ] as const) {
    const it = objectScenario(passive);
    it.result(1000, "critical", { origin: "passive" });
    it.send(61_000, { kind: "due" });
    it.result(62_000, "ok", { origin: "passive", executedAtMs });
    assert.equal(statusOf(it.state().phase), status, `executed at ${executedAtMs}`);
  }
  const never = objectScenario(passive);
  never.send(61_000, { kind: "due" });
  never.result(62_000, "ok", { origin: "passive", executedAtMs: 10 });
  assert.equal(statusOf(never.state().phase), "ok");
});

test("[FR6] the time since the last result does not include a jump of the clock", () => {
  const it = objectScenario(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(-69_000, { kind: "clock_jump", byMs: -100_000 });
  it.send(-39_000, { kind: "due" });
  assert.match(it.state().last?.output ?? "", /no result for 60 s/);
});

test("[FR4] while `check_period` is closed results do not become stale; at its opening the threshold restarts", () => {
  const it = objectScenario(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(61_000, { kind: "due" }, { closedUntilMs: 500_000 });
  assert.equal(statusOf(it.state().phase), "ok");
  assert.equal(it.dueMs(), 560_000);
  const never = objectScenario(passive);
  never.send(61_000, { kind: "due" }, { closedUntilMs: Number.POSITIVE_INFINITY });
  assert.deepEqual([never.state().phase.kind, never.dueMs()], ["pending", 121_000]);
});

test("[FR5] while passive checks are off no result is expected; switched on, the threshold restarts", () => {
  const it = objectScenario(passive);
  it.send(10, { kind: "set_toggle", toggle: "passiveChecks", enabled: false, by: annAuthor });
  assert.equal(it.dueMs(), Number.POSITIVE_INFINITY);
  it.send(100_000, { kind: "set_toggle", toggle: "passiveChecks", enabled: true, by: annAuthor });
  assert.equal(it.dueMs(), 160_000);
  const realm = objectScenario(passive);
  realm.send(61_000, { kind: "due" }, { passiveChecksOn: false });
  assert.deepEqual([realm.state().phase.kind, realm.dueMs()], ["pending", Number.POSITIVE_INFINITY]);
  realm.send(100_000, { kind: "program_toggle", toggle: "passiveChecks" });
  assert.equal(realm.dueMs(), 160_000);
});
