import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan, ObjectPlan, ProcessPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import type { Downtime } from "@realmwatch/shared/words/downtime";
import { statusOf } from "./attempts.ts";
import { anyInEffect } from "./downtimes.ts";
import type { CheckResult, ObjectInput, Surroundings } from "./input.ts";
import { flap, httpService, schedule, tcpCheck } from "./plans.fixture.ts";
import { newState, type ObjectState } from "./state.ts";
import { step } from "./step.ts";
import { quietSurroundings } from "./surroundings.fixture.ts";

const service = httpService as ServicePlan;
const host = {
  ref: "web1",
  key: { kind: "host", name: "web1" },
  parents: [],
  children: [],
  services: [],
  check: tcpCheck,
  schedule,
  flap,
} as unknown as HostPlan;
const shop = {
  ref: "process:shop",
  key: { kind: "process", name: "shop" },
  rule: { kind: "ref", ref: "web1!http" },
  inputs: ["web1!http"],
  flap,
} as unknown as ProcessPlan;
const passive = {
  ...service,
  check: { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "warning" },
} as ServicePlan;
const blocked = { hostDown: true, hostBlocked: true };
const by = { author: "ann", onBehalfOf: "" };

/** Steps an object through a story; `nowMs` is what each line says. */
function story(plan: ObjectPlan = service, around: Partial<Surroundings> = {}) {
  let state: ObjectState = newState(0);
  let dueMs = Number.POSITIVE_INFINITY;
  const told: string[] = [];
  const asked: string[] = [];
  const send = (nowMs: number, input: ObjectInput, now: Partial<Surroundings> = {}): ObjectState => {
    const outcome = step({ plan, around: { ...quietSurroundings, ...around, ...now }, nowMs }, state, input);
    state = outcome.state;
    dueMs = outcome.dueMs;
    told.push(...outcome.history.map((entry) => entry.type));
    asked.push(...outcome.followUps.map((followUp) => followUp.kind));
    return state;
  };
  const result = (
    nowMs: number,
    status: CheckResult["status"],
    more: Partial<CheckResult> = {},
    now: Partial<Surroundings> = {},
  ) =>
    send(
      nowMs,
      {
        kind: "result",
        result: {
          status,
          output: status,
          longOutput: "",
          perfdata: [],
          executedAtMs: nowMs,
          latencyMs: 0,
          executionMs: 1,
          source: "t",
          origin: "active",
          ...more,
        },
      },
      now,
    );
  return { send, result, told, asked, state: () => state, dueMs: () => dueMs };
}

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
const acknowledgement = {
  author: "ann",
  onBehalfOf: "",
  comment: "on it",
  sticky: false,
  atMs: 5,
  expiresAtMs: undefined,
};

test("[ST8] a result older than the known one is dropped, unless that one is from the future", () => {
  const it = story();
  it.result(100, "ok");
  it.result(110, "critical", { executedAtMs: 99 });
  assert.equal(statusOf(it.state().phase), "ok");
  it.result(120, "ok", { executedAtMs: 9999 });
  it.result(130, "critical", { executedAtMs: 130 });
  assert.equal(statusOf(it.state().phase), "critical");
});

test("[HS1] a service's problem asks for its host until it is confirmed, not behind a host that is down", () => {
  const it = story();
  for (const nowMs of [1, 2, 3, 4]) it.result(nowMs, "critical");
  assert.deepEqual(it.asked, ["check_host", "check_host", "check_masters"], "and no more once it is confirmed");
  it.result(5, "warning");
  assert.equal(it.asked.filter((kind) => kind === "check_host").length, 3, "a confirmed one, when it is another one");
  const behind = story(service, blocked);
  behind.result(1, "critical");
  assert.deepEqual(behind.asked, []);
  assert.equal(behind.state().phase.kind, "hard");
  behind.result(2, "ok");
  assert.deepEqual(behind.asked, ["check_host"], "what answers behind it speaks against its being down");
  behind.result(3, "ok");
  assert.deepEqual(
    behind.asked,
    ["check_host", "check_host"],
    "the first look may have found the host's result too young",
  );
});

test("[FL1] results while the host is down are no samples", () => {
  const it = story();
  it.result(1, "ok");
  for (let n = 2; n < 20; n += 1) it.result(n, n % 2 ? "ok" : "critical", {}, { hostDown: true });
  assert.equal(it.state().flap.value, 0);
});

test("[FL1] a host that is unreachable takes no samples, and a submitted unreachable is down like any other", () => {
  const behind = story(host, { parents: "all_down" });
  behind.result(1, "ok");
  behind.result(2, "critical");
  assert.equal(behind.state().flap.value, 0);
  behind.result(3, "ok");
  assert.ok(behind.state().flap.value > 0, "it answers, whatever its parents do");
  const it = story(host);
  it.result(1, "critical");
  it.result(2, "unreachable");
  assert.equal(it.state().flap.value, 0);
});

test("[FL4] a process that stays as it is has a stable sample a minute, until it is calm", () => {
  const it = story(shop);
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
  assert.deepEqual(it.told.slice(-2), ["flapping_stop", "comment_deleted"]);
  it.send(86_400_000, { kind: "due" });
  assert.equal(it.dueMs(), Number.POSITIVE_INFINITY, "nothing is left to calm");
});

test("[FL5] while an object flaps it has one comment that says so, whoever else comments on it", () => {
  const it = story();
  const authors = () => it.state().comments.map(({ author }) => author);
  const comment = { id: "c1", author: "ann", onBehalfOf: "", text: "an old line", atMs: 1 };
  it.send(1, { kind: "add_comment", comment });
  for (let nowMs = 1; nowMs <= 5; nowMs += 1) it.result(nowMs, nowMs % 2 === 0 ? "critical" : "ok");
  assert.deepEqual(authors(), ["ann", "realmwatch"]);
  it.result(6, "critical");
  assert.deepEqual(authors(), ["ann", "realmwatch"], "it is not said twice");
  it.send(7, { kind: "set_toggle", toggle: "flapDetection", enabled: false, by: { author: "ann", onBehalfOf: "" } });
  assert.deepEqual(authors(), ["ann"], "nobody counts any more");
});

test("[TG3] a switch that is off is on again once the configuration says something else of the same", () => {
  const at = (flapEnabled: boolean, state: ObjectState, input: ObjectInput) => {
    const plan = { ...service, handlerEnabled: true, flap: { ...flap, enabled: flapEnabled } };
    return step({ plan, around: quietSurroundings, nowMs: 1 }, JSON.parse(JSON.stringify(state)), input);
  };
  const off = (toggle: "flapDetection" | "eventHandler") =>
    ({ kind: "set_toggle", toggle, enabled: false, by }) as const;
  const handlerOff = at(true, newState(0), off("eventHandler")).state;
  const bothOff = at(true, handlerOff, off("flapDetection")).state;
  assert.equal(at(true, bothOff, { kind: "due" }).state.toggles.flapDetection, false, "nothing else was said");
  const obeying = at(false, bothOff, { kind: "due" });
  assert.deepEqual(
    obeying.history.map(({ output, author }) => `${output} by ${author}`),
    ["flap_detection on by realmwatch"],
  );
  assert.equal(obeying.state.toggles.eventHandler, false, "the configuration says the same of that as ever");
});

test("[AC1] acknowledging what is well changes nothing and is told", () => {
  const it = story();
  it.result(1, "ok");
  it.send(5, { kind: "acknowledge", acknowledgement, notify: false });
  assert.equal(it.state().acknowledgement, undefined);
  assert.deepEqual(it.told, ["state", "acknowledged"]);
});

test("[AC2] a plain acknowledgement ends with any change of status", () => {
  const it = story();
  it.result(1, "warning");
  it.send(5, { kind: "acknowledge", acknowledgement, notify: false });
  it.result(6, "warning");
  assert.notEqual(it.state().acknowledgement, undefined);
  it.result(7, "critical");
  assert.equal(it.state().acknowledgement, undefined);
});

test("[AC3] a sticky one ends with recovery only", () => {
  const it = story();
  it.result(1, "warning");
  it.send(5, { kind: "acknowledge", acknowledgement: { ...acknowledgement, sticky: true }, notify: false });
  it.result(6, "critical");
  assert.notEqual(it.state().acknowledgement, undefined);
  it.result(7, "ok");
  assert.equal(it.state().acknowledgement, undefined);
  assert.equal(it.told.at(-1), "acknowledgement_removed");
});

test("[AC4] an acknowledgement with an end is over then", () => {
  const it = story();
  it.result(1, "critical");
  it.send(5, { kind: "acknowledge", acknowledgement: { ...acknowledgement, expiresAtMs: 50 }, notify: false });
  assert.equal(it.dueMs(), 50);
  it.send(49, { kind: "due" });
  assert.notEqual(it.state().acknowledgement, undefined);
  it.send(50, { kind: "due" });
  assert.equal(it.state().acknowledgement, undefined);
});

test("[DT1] a fixed downtime is in effect from its start until just before its end, then gone", () => {
  const it = story();
  it.send(10, { kind: "schedule_downtime", downtime: downtime({ kind: "fixed" }) });
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
  assert.deepEqual(it.told, ["downtime_scheduled", "downtime_start", "downtime_end"]);
});

test("[DT1] a start or an end that another input is faster than is due at once", () => {
  for (const nowMs of [100, 130, 200, 230]) {
    const it = story();
    it.send(10, { kind: "schedule_downtime", downtime: downtime({ kind: "fixed" }) });
    if (nowMs >= 200) it.send(100, { kind: "due" });
    it.send(nowMs, { kind: "set_toggle", toggle: "activeChecks", enabled: false, by });
    assert.equal(it.dueMs(), nowMs);
    it.send(nowMs, { kind: "due" });
    assert.equal(anyInEffect(it.state().downtimes), nowMs < 200);
    assert.equal(it.dueMs(), nowMs < 200 ? 200 : Number.POSITIVE_INFINITY);
  }
});

test("[DT2] a flexible downtime begins with a problem in its window and lasts its duration, past its end too", () => {
  const it = story();
  it.result(1, "ok");
  it.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "flexible", durationMs: 80, active: undefined }),
  });
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

test("[DT2] one that is never used expires silently; one for a problem that is there begins at its start", () => {
  const unused = story();
  unused.result(1, "ok");
  unused.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "flexible", durationMs: 80, active: undefined }),
  });
  unused.send(200, { kind: "due" });
  assert.deepEqual(unused.told, ["state", "downtime_scheduled"]);
  const broken = story();
  broken.result(1, "critical");
  broken.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "flexible", durationMs: 80, active: undefined }),
  });
  broken.send(100, { kind: "due" });
  assert.equal(anyInEffect(broken.state().downtimes), true);
});

test("[DT3] a triggered downtime begins with its trigger and ends with the earlier end", () => {
  const it = story();
  it.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "triggered", triggeredBy: "t", active: undefined }),
  });
  it.send(150, { kind: "downtime_trigger", id: "other", active: { fromMs: 150, untilMs: 400 } });
  assert.equal(anyInEffect(it.state().downtimes), false);
  it.send(150, { kind: "downtime_trigger", id: "t", active: { fromMs: 150, untilMs: 400 } });
  assert.equal(anyInEffect(it.state().downtimes), true);
  assert.equal(it.dueMs(), 200);
});

test("[DT4] outside its own window a triggered downtime never begins", () => {
  const it = story();
  it.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "triggered", triggeredBy: "t", active: undefined }),
  });
  it.send(50, { kind: "downtime_trigger", id: "t", active: { fromMs: 50, untilMs: 400 } });
  it.send(120, { kind: "due" });
  assert.equal(anyInEffect(it.state().downtimes), false);
});

test("[DT7] one whose trigger is in effect already begins at once, in its own window only", () => {
  const trigger = { fromMs: 50, untilMs: 150 };
  const triggered = downtime({ kind: "triggered", triggeredBy: "t", active: undefined });
  const inTime = story();
  inTime.send(120, { kind: "schedule_downtime", downtime: triggered, trigger });
  assert.equal(anyInEffect(inTime.state().downtimes), true);
  assert.equal(inTime.dueMs(), 150);
  assert.deepEqual(inTime.asked, ["downtime_trigger"], "and so on down the chain");
  const early = story();
  early.send(90, { kind: "schedule_downtime", downtime: triggered, trigger });
  assert.equal(anyInEffect(early.state().downtimes), false);
});

test("[DT5] overlapping downtimes are one: told at the first start and the last end", () => {
  const it = story();
  it.send(10, { kind: "schedule_downtime", downtime: downtime({ kind: "fixed" }, 100, 200, "a") });
  it.send(10, { kind: "schedule_downtime", downtime: downtime({ kind: "fixed" }, 150, 300, "b") });
  for (const nowMs of [100, 150, 200, 300]) it.send(nowMs, { kind: "due" });
  assert.deepEqual(it.told, ["downtime_scheduled", "downtime_scheduled", "downtime_start", "downtime_end"]);
});

test("[DT6] deleting a trigger deletes what it triggers", () => {
  const it = story();
  it.send(10, {
    kind: "schedule_downtime",
    downtime: downtime({ kind: "triggered", triggeredBy: "t", active: undefined }),
  });
  it.send(20, { kind: "downtime_trigger", id: "t", active: undefined });
  assert.deepEqual(it.state().downtimes, []);
  assert.deepEqual(it.told, ["downtime_scheduled", "downtime_cancelled"]);
  assert.deepEqual(it.asked, ["downtime_trigger"]);
});

test("[TG1] flap detection that is switched off forgets the rate", () => {
  const it = story();
  for (let n = 1; n < 10; n += 1) it.result(n, n % 2 ? "ok" : "critical");
  assert.equal(it.state().flap.flapping, true);
  it.send(20, { kind: "set_toggle", toggle: "flapDetection", enabled: false, by });
  assert.deepEqual(it.state().flap, { value: 0, flapping: false });
  assert.ok(!it.told.includes("flapping_stop"));
});

test("[TG1] the whole realm's switch forgets too, at once and without a word", () => {
  const it = story();
  for (let n = 1; n < 10; n += 1) it.result(n, n % 2 ? "ok" : "critical");
  const off = { flapDetectionOn: false };
  it.send(20, { kind: "program_toggle", toggle: "flapDetection" }, off);
  assert.deepEqual(it.state().flap, { value: 0, flapping: false });
  const restarted = story();
  for (let n = 1; n < 10; n += 1) restarted.result(n, n % 2 ? "ok" : "critical");
  restarted.result(10, "ok", {}, off);
  assert.ok(![...it.told, ...restarted.told].includes("flapping_stop"));
});

test("[TG2] with passive checks off a submitted result is dropped, and history says so", () => {
  const it = story(service, { passiveChecksOn: false });
  it.result(1, "critical", { origin: "passive" });
  assert.equal(it.state().phase.kind, "pending");
  assert.deepEqual(it.told, ["state"]);
});

test("[FR1] silence longer than the threshold is stale, told once a threshold", () => {
  const it = story(passive);
  it.result(1000, "ok", { origin: "passive" });
  assert.equal(it.dueMs(), 61_000);
  it.send(60_999, { kind: "due" });
  assert.equal(statusOf(it.state().phase), "ok");
  it.send(61_000, { kind: "due" });
  assert.equal(statusOf(it.state().phase), "warning");
  assert.equal(it.dueMs(), 121_000);
});

test("[FR2] staleness says how long nothing was heard, and a late real result ends it", () => {
  const it = story(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(61_000, { kind: "due" });
  assert.match(it.state().last?.output ?? "", /no result for 60 s/);
  it.result(62_000, "ok", { origin: "passive" });
  assert.equal(statusOf(it.state().phase), "ok");
});

test("[FR2, ST8] a real result newer than the last real one counts, also one from before the silence was found", () => {
  for (const [executedAtMs, status] of [
    [999, "warning"],
    [1001, "ok"],
  ] as const) {
    const it = story(passive);
    it.result(1000, "critical", { origin: "passive" });
    it.send(61_000, { kind: "due" });
    it.result(62_000, "ok", { origin: "passive", executedAtMs });
    assert.equal(statusOf(it.state().phase), status, `executed at ${executedAtMs}`);
  }
  const never = story(passive);
  never.send(61_000, { kind: "due" });
  never.result(62_000, "ok", { origin: "passive", executedAtMs: 10 });
  assert.equal(statusOf(never.state().phase), "ok");
});

test("[FR6] how long nothing was heard does not count a jump of the clock", () => {
  const it = story(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(-69_000, { kind: "clock_jump", byMs: -100_000 });
  it.send(-39_000, { kind: "due" });
  assert.match(it.state().last?.output ?? "", /no result for 60 s/);
});

test("[FR4] behind a closed period silence is not stale; with the opening the threshold begins anew", () => {
  const it = story(passive);
  it.result(1000, "ok", { origin: "passive" });
  it.send(61_000, { kind: "due" }, { closedUntilMs: 500_000 });
  assert.equal(statusOf(it.state().phase), "ok");
  assert.equal(it.dueMs(), 560_000);
  const never = story(passive);
  never.send(61_000, { kind: "due" }, { closedUntilMs: Number.POSITIVE_INFINITY });
  assert.deepEqual([never.state().phase.kind, never.dueMs()], ["pending", 121_000]);
});

test("[FR5] where passive checks are off nobody is expected to send; switched on, the threshold begins anew", () => {
  const it = story(passive);
  it.send(10, { kind: "set_toggle", toggle: "passiveChecks", enabled: false, by });
  assert.equal(it.dueMs(), Number.POSITIVE_INFINITY);
  it.send(100_000, { kind: "set_toggle", toggle: "passiveChecks", enabled: true, by });
  assert.equal(it.dueMs(), 160_000);
  const realm = story(passive);
  realm.send(61_000, { kind: "due" }, { passiveChecksOn: false });
  assert.deepEqual([realm.state().phase.kind, realm.dueMs()], ["pending", Number.POSITIVE_INFINITY]);
  realm.send(100_000, { kind: "program_toggle", toggle: "passiveChecks" });
  assert.equal(realm.dueMs(), 160_000);
});
