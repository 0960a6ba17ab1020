import assert from "node:assert/strict";
import { test } from "node:test";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { ObjectInput } from "../input.ts";
import { annAuthor, objectScenario } from "../step.fixture.ts";
import { anyInEffect } from "./downtimes.ts";

const downtime = (shape: Downtime["shape"], startMs = 100, endMs = 200, id = "d1"): Downtime => ({
  id,
  shape,
  startMs,
  endMs,
  author: "ann",
  onBehalfOf: "",
  comment: "",
  inEffect: false,
});
const flexible = downtime({ kind: "flexible", durationMs: 80, active: undefined });
const triggered = downtime({ kind: "triggered", triggeredBy: "t", active: undefined });
const schedule = (planned: Downtime): ObjectInput => ({ kind: "schedule_downtime", downtime: planned });

test("[DT1] a fixed downtime is in effect in [start, end) and is then removed", () => {
  const it = objectScenario();
  it.send(10, schedule(downtime({ kind: "fixed" })));
  assert.equal(it.dueMs(), 100);
  for (const [nowMs, inEffect] of [
    [99, false],
    [100, true],
    [199, true],
  ] as const) {
    it.send(nowMs, { kind: "due" });
    assert.equal(anyInEffect(it.state().downtimes), inEffect, `at ${nowMs}`);
  }
  it.send(200, { kind: "due" });
  assert.deepEqual(it.state().downtimes, []);
  assert.deepEqual(it.history, ["downtime_scheduled", "downtime_start", "downtime_end"]);
});

test("[DT1] a start or an end that has passed when another input arrives is due at once", () => {
  for (const nowMs of [100, 130, 200, 230]) {
    const it = objectScenario();
    it.send(10, schedule(downtime({ kind: "fixed" })));
    if (nowMs >= 200) it.send(100, { kind: "due" });
    it.send(nowMs, { kind: "set_toggle", toggle: "activeChecks", enabled: false, by: annAuthor });
    assert.equal(it.dueMs(), nowMs);
    it.send(nowMs, { kind: "due" });
    assert.equal(anyInEffect(it.state().downtimes), nowMs < 200);
    assert.equal(it.dueMs(), nowMs < 200 ? 200 : Number.POSITIVE_INFINITY);
  }
});

test("[DT2] a flexible downtime begins with a problem in its window and lasts its duration, also beyond it", () => {
  const it = objectScenario();
  it.result(1, "ok");
  it.send(10, schedule(flexible));
  it.send(120, { kind: "due" });
  assert.equal(anyInEffect(it.state().downtimes), false);
  it.result(150, "critical");
  assert.equal(anyInEffect(it.state().downtimes), true);
  it.result(160, "ok");
  it.send(229, { kind: "due" });
  assert.equal(anyInEffect(it.state().downtimes), true);
  it.send(230, { kind: "due" });
  assert.deepEqual(it.state().downtimes, []);
});

test("[DT2] an unused flexible downtime ends without history; with a problem at its start it begins there", () => {
  const unused = objectScenario();
  unused.result(1, "ok");
  unused.send(10, schedule(flexible));
  unused.send(200, { kind: "due" });
  assert.deepEqual(unused.history, ["state", "downtime_scheduled"]);
  const broken = objectScenario();
  broken.result(1, "critical");
  broken.send(10, schedule(flexible));
  broken.send(100, { kind: "due" });
  assert.equal(anyInEffect(broken.state().downtimes), true);
});

test("[DT3] a triggered downtime begins with its trigger and ends at the earlier of the two ends", () => {
  const it = objectScenario();
  it.send(10, schedule(triggered));
  it.send(150, { kind: "downtime_trigger", id: "other", active: { fromMs: 150, untilMs: 400 } });
  assert.equal(anyInEffect(it.state().downtimes), false);
  it.send(150, { kind: "downtime_trigger", id: "t", active: { fromMs: 150, untilMs: 400 } });
  assert.equal(anyInEffect(it.state().downtimes), true);
  assert.equal(it.dueMs(), 200);
});

test("[DT4] outside its own window a triggered downtime never begins", () => {
  const it = objectScenario();
  it.send(10, schedule(triggered));
  it.send(50, { kind: "downtime_trigger", id: "t", active: { fromMs: 50, untilMs: 400 } });
  it.send(120, { kind: "due" });
  assert.equal(anyInEffect(it.state().downtimes), false);
});

test("[DT7] a downtime whose trigger is already in effect begins at once, if its own window is open", () => {
  const trigger = { fromMs: 50, untilMs: 150 };
  const inTime = objectScenario();
  inTime.send(120, { kind: "schedule_downtime", downtime: triggered, trigger });
  assert.equal(anyInEffect(inTime.state().downtimes), true);
  assert.equal(inTime.dueMs(), 150);
  assert.deepEqual(inTime.followUps, ["downtime_trigger"], "it triggers the next one in the chain");
  const early = objectScenario();
  early.send(90, { kind: "schedule_downtime", downtime: triggered, trigger });
  assert.equal(anyInEffect(early.state().downtimes), false);
});

test("[DT5] overlapping downtimes give one start, with the first, and one end, with the last", () => {
  const it = objectScenario();
  it.send(10, schedule(downtime({ kind: "fixed" }, 100, 200, "a")));
  it.send(10, schedule(downtime({ kind: "fixed" }, 150, 300, "b")));
  for (const nowMs of [100, 150, 200, 300]) it.send(nowMs, { kind: "due" });
  assert.deepEqual(it.history, ["downtime_scheduled", "downtime_scheduled", "downtime_start", "downtime_end"]);
});

test("[DT6] deleting a trigger deletes the downtimes that it triggers", () => {
  const it = objectScenario();
  it.send(10, schedule(triggered));
  it.send(20, { kind: "downtime_trigger", id: "t", active: undefined });
  assert.deepEqual(it.state().downtimes, []);
  assert.deepEqual(it.history, ["downtime_scheduled", "downtime_cancelled"]);
  assert.deepEqual(it.followUps, ["downtime_trigger"]);
});
