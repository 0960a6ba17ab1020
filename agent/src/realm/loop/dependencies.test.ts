import assert from "node:assert/strict";
import { test } from "node:test";
import type { TimeperiodPlan } from "@realmwatch/shared/calendar/timeperiod";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Notification } from "@realmwatch/shared/model/notification";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { dependency, host, notifiesAnn, openTestRealm, process, service } from "../fixtures/test-realm.fixture.ts";

const hourMs = 3_600_000;
const daily = (times: string): TimeperiodPlan => ({
  timezone: "UTC",
  ranges: Object.fromEntries(
    ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"].map((day) => [day, times]),
  ),
  exclude: [],
});

const objects: readonly ObjectPlan[] = [
  host("ups"),
  host("switch"),
  host("web1", { services: ["web1!http"] }),
  service("web1", "http"),
  host("desk"),
  { ...process("shop", "web1!http"), policy: "" },
];
const power = dependency("power", { onRefs: ["ups"], dependents: ["switch", "web1!http"] });
const planWith = (more: Partial<RealmPlan>, of = objects): RealmPlan => realmPlan(of, { ...notifiesAnn, ...more });
/** Hosts with passive checks, for which no notification waits. */
const quietHost = { check: { type: "passive", freshnessThresholdMs: 99 * hourMs, staleStatus: "unknown" } as const };
const plainObjects = objects.map((object) => ("services" in object ? { ...object, ...quietHost } : object));

test("[DP6] a problem with a failed dependency is handled and names it; it is notified after the dependency recovers", async () => {
  const it = await openTestRealm(planWith({ dependencies: [power] }, plainObjects));
  it.start();
  await it.settle();
  await it.send("ups", "critical");
  await it.send("web1!http", "critical");
  await it.send("desk", "critical");
  const row = () => it.rows.get("web1!http");
  assert.deepEqual([row()?.suppressedBy, row()?.handled], [["power"], true]);
  assert.deepEqual(it.notified, ["PROBLEM ups", "PROBLEM desk"]);
  await it.pass(1000);
  await it.send("ups", "ok");
  assert.deepEqual([row()?.suppressedBy, row()?.handled], [[], false]);
  assert.deepEqual(it.notified.slice(2), ["RECOVERY ups", "PROBLEM web1!http"]);
});

test("[DP6] the rows of dependents change in the round in which a dependency fails", async () => {
  const it = await openTestRealm(planWith({ dependencies: [power] }, plainObjects));
  await it.send("web1!http", "critical");
  await it.send("switch", "ok");
  const revision = it.rows.get("switch")?.revision;
  await it.send("ups", "critical");
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, ["power"]);
  assert.equal(it.rows.get("switch")?.revision, revision, "rows without a problem do not change");
});

test("[DP6] a dependency may read a process, within the same round", async () => {
  const onShop = dependency("shop-front", { onRefs: ["process:shop"], dependents: ["desk"] });
  const it = await openTestRealm(planWith({ dependencies: [onShop] }, plainObjects));
  await it.send("desk", "critical");
  await it.send("web1!http", "critical");
  assert.equal(it.rows.get("process:shop")?.status, "critical");
  assert.deepEqual(it.rows.get("desk")?.suppressedBy, ["shop-front"]);
});

test("[DP4] suppression begins and ends with the period of a dependency, without a result", async () => {
  const atNight = { ...power, period: "night" };
  const timeperiods = new Map([["night", daily("13:00-14:00")]]);
  const it = await openTestRealm(planWith({ dependencies: [atNight], timeperiods }, plainObjects));
  it.start();
  await it.send("ups", "critical");
  await it.send("web1!http", "critical");
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, []);
  await it.pass(hourMs);
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, ["power"]);
  await it.pass(hourMs);
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, []);
});

test("[HS5] before its last attempt the masters of a problem are checked, inputs of processes included", async () => {
  const schedule = { ...(objects[3] as { schedule: object }).schedule, maxAttempts: 3 };
  const patient = objects.map((object) => (object.ref === "desk" ? ({ ...object, schedule } as ObjectPlan) : object));
  const onShop = dependency("shop-front", { onRefs: ["process:shop", "ups"], dependents: ["desk"] });
  const it = await openTestRealm(planWith({ dependencies: [onShop] }, patient));
  it.start();
  await it.pass(60_000);
  it.clock.advance(20_000);
  for (const ref of [...it.checks]) await it.send(ref, "ok", { origin: "active" });
  await it.pass(20_000);
  it.checks.length = 0;
  await it.send("desk", "critical");
  assert.deepEqual(it.checks, []);
  await it.send("desk", "critical");
  assert.deepEqual([...it.checks].sort(), ["ups", "web1!http"]);
});

test("[HS5] before its last attempt no more than a hundred masters of a problem are checked", async () => {
  const masters = Array.from({ length: 150 }, (_, n) => host(`master${n}`));
  const schedule = { ...masters[0]?.schedule, maxAttempts: 2 } as (typeof masters)[0]["schedule"];
  const dependencies = [dependency("all", { onRefs: masters.map(({ ref }) => ref), dependents: ["desk"] })];
  const it = await openTestRealm(planWith({ dependencies }, [...masters, host("desk", { ...quietHost, schedule })]));
  it.start();
  await it.send("desk", "critical");
  assert.equal(it.checks.length, 100);
});

test("[DT8] a recurring downtime applies to its objects while its period is open, after a restart too", async () => {
  const timeperiods = new Map([["night", daily("13:00-14:00")]]);
  const nightly = { name: "backup", refs: ["web1"], scope: "host", period: "night", comment: "nightly" } as const;
  const plan = planWith({ recurringDowntimes: [nightly], timeperiods }, plainObjects);
  const it = await openTestRealm(plan);
  it.start();
  await it.send("web1!http", "critical");
  await it.settle();
  const [entry] = it.rows.get("web1")?.downtimes ?? [];
  assert.equal(entry?.id, "recurring:backup");
  assert.equal(entry?.startMs, Date.parse("2026-03-10T13:00Z"));
  assert.equal(entry?.comment, "nightly");
  await it.pass(hourMs);
  assert.deepEqual([it.rows.get("web1")?.inDowntime, it.rows.get("web1!http")?.inDowntime], [true, true]);
  assert.equal(it.rows.get("web1!http")?.handled, true);
  await it.loop.stop();
  const again = await openTestRealm(plan, { states: [...it.states] as [string, string][] });
  again.clock.advance(hourMs + 60_000);
  again.start();
  await again.settle();
  assert.deepEqual(
    again.history.map(({ type }) => type).filter((type) => type.startsWith("downtime")),
    [],
    "a restart notifies no start again",
  );
  await again.pass(hourMs);
  assert.equal(again.rows.get("web1")?.inDowntime, false);
  assert.equal(again.rows.get("web1")?.downtimes[0]?.startMs, Date.parse("2026-03-11T13:00Z"));
});

test("[DT10] a recurring downtime has one id for all of its objects and cannot be looked up by it", async () => {
  const timeperiods = new Map([["always", daily("00:00-24:00")]]);
  const refs = ["web1", "desk"];
  const always = { name: "always", refs, scope: "host", period: "always", comment: "" } as const;
  const it = await openTestRealm(planWith({ recurringDowntimes: [always], timeperiods }, plainObjects));
  it.start();
  await it.settle();
  for (const ref of refs) assert.equal(it.rows.get(ref)?.inDowntime, true);
  assert.equal(it.realm.downtimeRefs.size, 0);
});

test("[RL6] dependencies and recurring downtimes of a new configuration apply at once", async () => {
  const it = await openTestRealm(planWith({}, plainObjects));
  it.start();
  await it.send("ups", "critical");
  await it.send("web1!http", "critical");
  const timeperiods = new Map([["noon", daily("11:00-13:00")]]);
  const atNoon = { name: "change", refs: ["desk"], scope: "host", period: "noon", comment: "" } as const;
  const dependent = plainObjects.map((object) =>
    object.ref === "switch" ? { ...object, about: { ...object.about, dependsOn: ["ups"] } } : object,
  );
  const next = planWith({ dependencies: [power], recurringDowntimes: [atNoon], timeperiods }, dependent);
  await it.settle();
  const swapped = it.swap(next);
  await it.settle();
  await swapped;
  await it.pass(10);
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, ["power"]);
  assert.deepEqual(it.rows.get("switch")?.about.dependsOn, ["ups"], "without a problem too");
  assert.equal(it.rows.get("desk")?.inDowntime, true);
  assert.ok(it.history.some(({ type }) => type === "downtime_start"));
  const back = it.swap(planWith({}, plainObjects));
  await it.settle();
  await back;
  await it.pass(10);
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, []);
  assert.deepEqual(it.rows.get("switch")?.about.dependsOn, []);
  assert.deepEqual(it.rows.get("desk")?.downtimes, []);
  assert.ok(it.history.some(({ type }) => type === "downtime_end"));
});

test("[RL6] a reload re-evaluates objects with an open problem, and no others", async () => {
  const it = await openTestRealm(planWith({ dependencies: [power] }, plainObjects));
  it.start();
  await it.settle();
  await it.send("ups", "critical");
  await it.send("web1!http", "critical");
  await it.send("desk", "ok");
  it.notified.length = 0;
  it.steps.length = 0;
  const swapped = it.swap(planWith({}, plainObjects));
  await it.settle();
  await swapped;
  await it.settle();
  assert.deepEqual([...new Set(it.steps)].sort(), ["process:shop", "ups", "web1!http"]);
  assert.deepEqual(it.notified, ["PROBLEM web1!http"]);
});

test("[RL7] notified contacts get a recovery when the object is removed", async () => {
  const it = await openTestRealm(planWith({}, plainObjects));
  it.start();
  await it.send("desk", "critical");
  await it.send("ups", "ok");
  await it.pass(hourMs);
  const swapped = it.swap(
    planWith(
      {},
      plainObjects.filter(({ ref }) => ref !== "desk" && ref !== "ups"),
    ),
  );
  await it.settle();
  await swapped;
  assert.deepEqual(it.notified, ["PROBLEM desk", "RECOVERY desk"]);
  const [problem, recovery] = it.notifications;
  assert.equal(recovery?.problemId, problem?.problemId);
  assert.notEqual(recovery?.id, problem?.id);
  const { status, previousStatus, output, longOutput, sinceMs } = recovery as Notification;
  assert.deepEqual([status, previousStatus, sinceMs], ["ok", "critical", it.clock.now()]);
  assert.deepEqual([output, longOutput], ["no longer monitored: taken out of the configuration", "critical"]);
  assert.equal(it.history.at(-1)?.notificationKind, "RECOVERY");
  assert.equal(it.states.has("desk"), false);
});

for (const size of [10, 1000])
  test(`[RE5, DP8] a result in a realm of ${size} hosts steps no unrelated object`, async () => {
    const names = Array.from({ length: size }, (_, n) => `host${n}`);
    const many: ObjectPlan[] = [
      host("ups", quietHost),
      ...names.map((name) => host(name, { ...quietHost, services: [`${name}!http`] })),
      ...names.map((name) => service(name, "http")),
    ];
    const dependencies = [dependency("power", { onRefs: ["ups"], dependents: names.map((name) => `${name}!http`) })];
    const it = await openTestRealm(planWith({ dependencies }, many));
    for (const { ref } of many) it.submit(ref, "ok");
    await it.settle();
    it.steps.length = 0;
    await it.send("host1", "ok");
    await it.send("host1!http", "critical");
    await it.send("host1!http", "critical");
    await it.send("ups", "critical");
    await it.send("ups", "ok");
    assert.deepEqual(it.steps, ["host1", "host1!http", "host1!http", "ups", "host1!http", "ups", "host1!http"]);
  });

test("[CS3] a problem names what its failed dependency reads; of an inherited failure, what the one above reads", async () => {
  const room = dependency("room", { onRefs: ["switch"], dependents: ["desk"], inherits: true });
  const it = await openTestRealm(planWith({ dependencies: [power, room] }, plainObjects));
  await it.send("desk", "critical");
  await it.send("web1!http", "critical");
  await it.send("ups", "critical");
  const suppressors = (ref: string) => it.rows.get(ref)?.suppressors;
  assert.deepEqual([suppressors("web1!http"), suppressors("desk")], [["ups"], ["ups"]]);
  await it.send("switch", "critical");
  await it.send("desk", "critical");
  assert.deepEqual([suppressors("switch"), suppressors("desk")], [["ups"], ["switch"]]);
  await it.send("web1", "critical");
  await it.send("web1!http", "critical");
  assert.deepEqual(suppressors("web1!http"), ["web1", "ups"]);
});
