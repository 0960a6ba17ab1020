import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { httpServicePlan, objectScenario } from "../step.fixture.ts";
import { buildRow, noInheritedSuppression } from "./object-row.ts";
import type { ObjectState } from "./object-state.ts";

const overdueAtMs = (plan: ObjectPlan, state: ObjectState): number | undefined =>
  buildRow(plan, state, { inherited: noInheritedSuppression, epoch: 1, revision: 1 }).overdueAtMs;

test("[RM20] an active check is overdue an interval and 30 s after it was due, unless active checks are off", () => {
  const state = { ...objectScenario().state(), nextCheckAtMs: 100_000 };
  assert.equal(overdueAtMs(httpServicePlan, state), 190_000);
  assert.equal(overdueAtMs(httpServicePlan, { ...state, nextCheckAtMs: undefined }), undefined);
  const toggles = { ...state.toggles, activeChecks: false };
  assert.equal(overdueAtMs(httpServicePlan, { ...state, toggles }), undefined);
});

test("[RM20] a passive result is overdue a second threshold and 30 s after it was expected; stale results do not count", () => {
  const check = { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "warning" };
  const plan = { ...httpServicePlan, check } as ServicePlan;
  const it = objectScenario(plan);
  it.result(1000, "ok", { origin: "passive" });
  assert.equal(overdueAtMs(plan, it.state()), 151_000);
  it.send(61_000, { kind: "due" });
  assert.equal(overdueAtMs(plan, it.state()), 151_000);
  it.result(140_000, "ok", { origin: "passive" });
  assert.equal(overdueAtMs(plan, it.state()), 290_000);
  const toggles = { ...it.state().toggles, passiveChecks: false };
  assert.equal(overdueAtMs(plan, { ...it.state(), toggles }), undefined);
});
