import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/model/downtime";
import type { RecurringWindow } from "../object-context.ts";
import { newState, type ObjectState, reviveState } from "../state/object-state.ts";
import { deleteDowntime, scheduleDowntime, updateDowntimes } from "./apply-downtime.ts";
import { nextDowntimeDueMs } from "./downtimes.ts";

const plan = { ref: "web1", key: { kind: "host", name: "web1" } } as unknown as HostPlan;
/** The first 10 ms of every 100 ms. */
const backup = (nowMs: number): RecurringWindow => {
  const begunMs = Math.floor(nowMs / 100) * 100;
  const startMs = nowMs < begunMs + 10 ? begunMs : begunMs + 100;
  return { name: "backup", comment: "", startMs, endMs: startMs + 10 };
};

function recurringScenario(from: ObjectState = newState(0)) {
  let state = from;
  const history: string[] = [];
  const at = (nowMs: number, windows: readonly RecurringWindow[] = [backup(nowMs)]): ObjectState => {
    const settled = updateDowntimes({ plan, objectContext: { recurring: windows }, nowMs }, state);
    state = settled.state;
    history.push(...settled.history.map(({ type }) => `${nowMs} ${type}`));
    const triggers = settled.followUps.filter((next) => "id" in next && next.id.startsWith("recurring:"));
    assert.deepEqual(triggers, [], "a recurring downtime is not a trigger");
    return state;
  };
  const schedule = (nowMs: number, startMs: number, endMs: number): void => {
    const by = { author: "ann", onBehalfOf: "", comment: "" };
    const downtime: Downtime = { id: "d1", shape: { kind: "fixed" }, startMs, endMs, ...by, inEffect: false };
    const context = { plan, objectContext: { recurring: [backup(nowMs)] }, nowMs };
    const scheduled = scheduleDowntime(context, state, { downtime, trigger: undefined });
    state = scheduled.state;
    history.push(...scheduled.history.map(({ type }) => `${nowMs} ${type}`));
  };
  return {
    at,
    schedule,
    history,
    state: () => state,
    dueMs: (nowMs: number) => nextDowntimeDueMs(state.downtimes, nowMs),
  };
}

test("[DT8] a recurring downtime is in effect while its period is open, and then waits for the next opening", () => {
  const it = recurringScenario();
  const [waiting] = it.at(50).downtimes;
  assert.deepEqual(waiting, {
    ...{ id: "recurring:backup", shape: { kind: "recurring", name: "backup" }, startMs: 100, endMs: 110 },
    ...{ author: "", onBehalfOf: "", comment: "", inEffect: false },
  });
  assert.equal(it.dueMs(50), 100);
  assert.equal(it.at(100).downtimes[0]?.inEffect, true);
  assert.equal(it.dueMs(100), 110);
  const [next] = it.at(110).downtimes;
  assert.deepEqual([next?.startMs, next?.endMs, next?.inEffect], [200, 210, false]);
  assert.deepEqual(it.history, ["100 downtime_start", "110 downtime_end"]);
});

test("[DT8] without a change the state is the same object", () => {
  const it = recurringScenario();
  const before = it.at(50);
  assert.equal(it.at(60), before);
  assert.equal(newState(0).downtimes.length, 0);
  const bare = newState(0);
  assert.equal(updateDowntimes({ plan, objectContext: { recurring: [] }, nowMs: 5 }, bare).state, bare);
});

test("[DT5, DT8] a recurring downtime and an overlapping one give one start and one end", () => {
  const it = recurringScenario();
  it.schedule(50, 105, 150);
  for (const nowMs of [100, 105, 110, 150]) it.at(nowMs);
  assert.deepEqual(it.history, ["50 downtime_scheduled", "100 downtime_start", "150 downtime_end"]);
  assert.deepEqual(
    it.state().downtimes.map(({ id }) => id),
    ["recurring:backup"],
  );
});

test("[DT9] a start is recorded once, also over restarts; an end during a stop is recorded after it", () => {
  const it = recurringScenario();
  it.at(101);
  const revived = (state: ObjectState): ObjectState => reviveState(JSON.parse(JSON.stringify(state)), 0);
  const again = recurringScenario(revived(it.state()));
  again.at(103);
  assert.deepEqual(again.history, []);
  const late = recurringScenario(revived(again.state()));
  late.at(150);
  assert.deepEqual(late.history, ["150 downtime_end"]);
});

test("[DT9] a recurring downtime follows changes of its period and comment, and ends when it is removed", () => {
  const it = recurringScenario();
  it.at(101);
  const moved = { name: "backup", comment: "longer", startMs: 100, endMs: 130 };
  assert.deepEqual(it.at(102, [moved]).downtimes[0]?.endMs, 130);
  assert.equal(it.state().downtimes[0]?.inEffect, true);
  it.at(103, [{ ...moved, name: "other" }]);
  assert.deepEqual(it.history, ["101 downtime_start"], "the second downtime replaces the first without a gap");
  assert.deepEqual(it.at(104, []).downtimes, []);
  assert.deepEqual(it.history, ["101 downtime_start", "104 downtime_end"]);
});

test("[DT10] deleting a recurring downtime does nothing", () => {
  const it = recurringScenario();
  const by = { author: "ann", onBehalfOf: "" };
  const state = it.at(105);
  assert.equal(deleteDowntime(plan, state, "recurring:backup", { by, nowMs: 106 }).state, state);
});

test("[DT10] deleting another downtime keeps the recurring one", () => {
  const it = recurringScenario();
  it.schedule(50, 90, 150);
  const by = { author: "ann", onBehalfOf: "" };
  const deleted = deleteDowntime(plan, it.at(95), "d1", { by, nowMs: 96 });
  assert.deepEqual(
    deleted.state.downtimes.map(({ id }) => id),
    ["recurring:backup"],
  );
});
