import assert from "node:assert/strict";
import { test } from "node:test";
import { httpServicePlan, objectScenario } from "../step.fixture.ts";
import { statusOf } from "./object-state.ts";

const blocked = { hostDown: true };

test("[ST8] a result older than the stored one is dropped, unless the stored one is dated in the future", () => {
  const it = objectScenario();
  it.result(100, "ok");
  it.result(110, "critical", { executedAtMs: 99 });
  assert.equal(statusOf(it.state().phase), "ok");
  it.result(120, "ok", { executedAtMs: 9999 });
  it.result(130, "critical", { executedAtMs: 130 });
  assert.equal(statusOf(it.state().phase), "critical");
  // Accepted by the other member of a pair, whose clock is behind.
  it.result(140, "ok", { executedAtMs: 20, isUntimed: true });
  assert.equal(statusOf(it.state().phase), "ok");
});

test("[HS1] a soft service problem requests a host check with each result, except while the host is down", () => {
  const it = objectScenario();
  for (const nowMs of [1, 2, 3, 4]) it.result(nowMs, "critical");
  assert.deepEqual(it.followUps, ["check_host", "check_host", "check_dependencies"], "none once the problem is hard");
  it.result(5, "warning");
  assert.equal(it.followUps.filter((kind) => kind === "check_host").length, 3, "again when a hard problem changes");
  const behind = objectScenario(httpServicePlan, blocked);
  behind.result(1, "critical");
  assert.deepEqual(behind.followUps, []);
  assert.equal(behind.state().phase.kind, "hard");
  behind.result(2, "ok");
  assert.deepEqual(behind.followUps, ["check_host"], "an ok service suggests that the host is up");
  behind.result(3, "ok");
  assert.deepEqual(
    behind.followUps,
    ["check_host", "check_host"],
    "the first check may have been skipped because the host's last result was recent",
  );
});
