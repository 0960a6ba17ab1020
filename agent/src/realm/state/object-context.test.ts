import assert from "node:assert/strict";
import { test } from "node:test";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { host, notifiesAnn, openTestRealm, service } from "../fixtures/test-realm.fixture.ts";

const objects = [
  host("edge", { children: ["web1"] }),
  host("core", { children: ["web1"] }),
  host("web1", { parents: ["edge", "core"], services: ["web1!http", "web1!tls"] }),
  service("web1", "http"),
  service("web1", "tls"),
];
const plan = realmPlan(objects, notifiesAnn);

async function setUp() {
  const it = await openTestRealm(plan);
  const contextOf = (ref: string) => {
    const record = it.realm.records.get(ref);
    assert.ok(record);
    return it.realm.objectContextOf(record, it.clock.now());
  };
  return { ...it, contextOf };
}

test("[RE4] the recovery of a host is stored, and since then its services and children are reachable", async () => {
  const it = await setUp();
  for (const ref of ["edge", "core", "web1"]) await it.send(ref, "ok");
  assert.equal(it.contextOf("web1").reachableSinceMs, undefined, "a first result is not a recovery");
  await it.send("edge", "critical");
  await it.pass(1000);
  await it.send("edge", "warning");
  const backAtMs = it.clock.now();
  assert.equal(it.contextOf("web1").reachableSinceMs, backAtMs);
  await it.pass(1000);
  await it.send("core", "critical");
  await it.pass(1000);
  await it.send("core", "ok");
  assert.equal(it.contextOf("web1").reachableSinceMs, backAtMs + 2000, "the last of its parents counts");
  assert.equal(it.contextOf("web1!http").reachableSinceMs, undefined, "its own host was never down");
  assert.match(it.states.get("edge") ?? "", new RegExp(`"upSinceMs":${backAtMs}`), "it is stored");
});

test("[RE1] blocking objects are named", async () => {
  const it = await setUp();
  await it.send("edge", "critical");
  assert.deepEqual(it.contextOf("web1").blockedBy, [], "one parent is up");
  await it.send("core", "unknown");
  assert.deepEqual(it.contextOf("web1").blockedBy, ["edge", "core"]);
  assert.deepEqual(it.contextOf("web1!http").blockedBy, []);
  await it.send("web1", "critical");
  assert.deepEqual(it.contextOf("web1!http").blockedBy, ["web1"]);
});

test("[HS4] notifications wait only for a host with an active check that may run now", async () => {
  const it = await setUp();
  assert.deepEqual(it.contextOf("web1!http").hostCheck, { lastAtMs: undefined, timeoutMs: 10_000 });
  await it.send("web1", "ok");
  assert.equal(it.contextOf("web1!http").hostCheck?.lastAtMs, it.clock.now());
  assert.equal(it.contextOf("web1").hostCheck, undefined);
  await it.command({ kind: "set_object_toggle", refs: ["web1"], toggle: "activeChecks", enabled: false });
  assert.equal(it.contextOf("web1!http").hostCheck, undefined);
  await it.command({ kind: "set_object_toggle", refs: ["web1"], toggle: "activeChecks", enabled: true });
  await it.command({ kind: "set_program_toggle", toggle: "activeChecks", enabled: false });
  assert.equal(it.contextOf("web1!http").hostCheck, undefined);
});

test("[HS4] waiting notifications request one host check and continue with its result", async () => {
  const it = await setUp();
  it.start();
  await it.send("web1", "ok");
  await it.send("web1!tls", "ok");
  it.checks.length = 0;
  await it.pass(1000);
  await it.send("web1!http", "critical");
  await it.send("web1!tls", "critical");
  assert.deepEqual(it.checks, ["web1"], "however fresh its last result is, and once for both");
  assert.deepEqual(it.notified, []);
  await it.pass(1000);
  await it.send("web1", "ok", { origin: "active" });
  assert.deepEqual(it.notified, ["PROBLEM web1!http", "PROBLEM web1!tls"]);
});

test("[HS4] if the host turns out to be down, only the host is notified", async () => {
  const it = await setUp();
  it.start();
  await it.send("web1", "ok");
  await it.pass(1000);
  await it.send("web1!http", "critical");
  await it.pass(1000);
  await it.send("web1", "critical", { origin: "active" });
  assert.deepEqual(it.notified, ["PROBLEM web1"]);
});

test("[HS4] a host check that began before the problem is not sufficient: the host is checked once more", async () => {
  const it = await setUp();
  it.start();
  await it.send("web1", "ok");
  await it.pass(1000);
  const beganAtMs = it.clock.now();
  await it.pass(1000);
  await it.send("web1!http", "critical");
  it.checks.length = 0;
  await it.send("web1", "ok", { origin: "active", executedAtMs: beganAtMs });
  assert.deepEqual(it.notified, []);
  assert.deepEqual(it.checks, ["web1"]);
  await it.pass(1000);
  await it.send("web1", "ok", { origin: "active" });
  assert.deepEqual(it.notified, ["PROBLEM web1!http"]);
});

test("[HS4] notifications no longer wait for a host whose checks are turned off", async () => {
  for (const scope of ["object", "program"] as const) {
    const it = await setUp();
    it.start();
    await it.send("web1", "ok");
    await it.pass(1000);
    await it.send("web1!http", "critical");
    assert.deepEqual(it.notified, []);
    const off = { toggle: "activeChecks", enabled: false } as const;
    await it.command(
      scope === "object"
        ? { kind: "set_object_toggle", refs: ["web1"], ...off }
        : { kind: "set_program_toggle", ...off },
    );
    assert.deepEqual(it.notified, ["PROBLEM web1!http"]);
  }
});

test("[HS4] after a restart notifications still wait for the host", async () => {
  const it = await setUp();
  it.start();
  await it.send("web1", "ok");
  await it.pass(1000);
  await it.send("web1!http", "critical");
  await it.loop.stop();
  const again = await openTestRealm(plan, { states: [...it.states] as [string, string][] });
  again.clock.advance(3000);
  again.start();
  await again.settle();
  assert.deepEqual(again.checks, ["web1"]);
  await again.send("web1", "ok", { origin: "active" });
  assert.deepEqual(again.notified, ["PROBLEM web1!http"]);
});

test("[RE5] a downtime of a host re-evaluates services with an open problem", async () => {
  const it = await setUp();
  await it.send("web1!http", "critical");
  await it.send("web1!tls", "ok");
  it.steps.length = 0;
  const nowMs = it.clock.now();
  const times = { startMs: nowMs, endMs: nowMs + 60_000, comment: "", shape: { kind: "fixed" } as const };
  await it.command({ kind: "schedule_downtime", downtimes: [{ id: "d1", ref: "web1" }], ...times });
  assert.deepEqual(it.steps, ["web1", "web1!http"]);
  assert.equal(it.rows.get("web1!http")?.inDowntime, true);
  assert.equal(it.contextOf("web1!http").hostInDowntime, true);
  it.steps.length = 0;
  await it.command({ kind: "delete_downtime", ref: "web1", id: "d1" });
  assert.deepEqual(it.steps, ["web1", "web1!http"]);
});

test("[RE5] the realm's notification toggle and an enabled contact re-evaluate open problems", async () => {
  const it = await setUp();
  await it.send("web1!http", "critical");
  await it.send("web1!tls", "ok");
  it.steps.length = 0;
  await it.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  assert.deepEqual(it.steps, []);
  await it.command({ kind: "set_program_notifications", enabled: false });
  await it.command({ kind: "set_program_notifications", enabled: true });
  await it.command({ kind: "set_contact_notifications", contact: "ann", enabled: true });
  assert.deepEqual(it.steps, ["web1!http", "web1!http", "web1!http"]);
});

test("[TG1] state that a realm toggle resets is reset in the journal too", async () => {
  const it = await setUp();
  const flapOf = (json: string | undefined) => (JSON.parse(json ?? "{}") as { flap?: { value: number } }).flap;
  it.realm.records.forEach((record) => {
    record.plan = { ...record.plan, flap: { ...record.plan.flap, enabled: true } };
  });
  await it.send("web1!http", "ok");
  await it.send("web1!http", "critical");
  assert.ok((flapOf(it.states.get("web1!http"))?.value ?? 0) > 0);
  await it.command({ kind: "set_program_toggle", toggle: "flapDetection", enabled: false });
  assert.equal(flapOf(it.states.get("web1!http"))?.value, 0);
});

test("[ST8, TG2] dropped results are counted", async () => {
  const it = await setUp();
  await it.send("web1", "ok");
  await it.send("web1", "critical", { executedAtMs: it.clock.now() - 1000 });
  await it.command({ kind: "set_program_toggle", toggle: "passiveChecks", enabled: false });
  await it.send("web1", "critical");
  assert.deepEqual(it.dropped, ["stale", "passive_off"]);
});
