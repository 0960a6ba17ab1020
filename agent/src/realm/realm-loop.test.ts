import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Command } from "@realmwatch/shared/words/command";
import type { HistoryEntry } from "@realmwatch/shared/words/history";
import { manualClock } from "@realmwatch/shared/words/manual-clock";
import { fail, ok } from "@realmwatch/shared/words/result";
import type { Row } from "@realmwatch/shared/words/row";
import type { CheckResult } from "../engine/input.ts";
import { type ObjectState, reviveState } from "../engine/state.ts";
import type { LoopJournal } from "./keeper.ts";
import { host, process, service } from "./loop.fixture.ts";
import { RealmLoop } from "./realm-loop.ts";
import { realmPlan } from "./realm-plan.fixture.ts";
import { newProgram, RealmState } from "./realm-state.ts";

const objects: ObjectPlan[] = [
  host("edge", { children: ["web1"] }),
  host("web1", { parents: ["edge"], services: ["web1!http"] }),
  service("web1", "http"),
  process("shop", "web1!http"),
];
const plan = realmPlan(objects);

/** A journal in memory that fails when told to. What it was given last is what a restart would find. */
function memoryJournal() {
  const states = new Map<string, string | undefined>();
  const history: HistoryEntry[] = [];
  const self = { states, history, broken: false, appliedCommandSeq: 0, appends: 0 };
  const journal: LoopJournal = {
    append: async (batch) => {
      self.appends += 1;
      if (self.broken) return fail({ kind: "unavailable", what: "the disk is full" });
      for (const { ref, state } of batch.states) states.set(ref, state);
      history.push(...batch.history);
      self.appliedCommandSeq = batch.appliedCommandSeq;
      return ok({ lastHistorySeq: history.length });
    },
  };
  return Object.assign(self, { journal });
}

function setUp(kept: ReadonlyMap<string, ObjectState> = new Map()) {
  const clock = manualClock(1_000_000);
  const realm = new RealmState("fra", plan, newProgram(0));
  realm.fill(kept, clock.now());
  const journal = memoryJournal();
  const rows = new Map<string, Row>();
  const looks: string[] = [];
  const failures: string[] = [];
  const loop = new RealmLoop({
    clock,
    realm,
    journal: journal.journal,
    appliedCommandSeq: 0,
    epoch: 7,
    scheduler: {
      ended: () => undefined,
      heard: () => undefined,
      checkNow: (ref) => void looks.push(`now ${ref}`),
      checkSoon: (ref) => void looks.push(`soon ${ref}`),
    },
    told: (changes) => {
      for (const { change } of changes)
        if (change.kind === "put")
          rows.set([...realm.records].find(([, r]) => r.plan.about === change.row.about)?.[0] ?? "", change.row);
    },
    programChanged: () => {},
    historyAdvanced: () => {},
    resultDropped: () => {},
    notify: () => {},
    handle: () => {},
    journalFailed: (why) => void failures.push(why),
    journalHealed: () => void failures.push("healed"),
  });
  const result = (status: CheckResult["status"]): CheckResult => ({
    status,
    output: status,
    longOutput: "",
    perfdata: [],
    executedAtMs: clock.now(),
    latencyMs: 0,
    executionMs: 1,
    source: "",
    origin: "active",
  });
  /** Lets every round that waits run to its end. */
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) {
      await new Promise((go) => setImmediate(go));
      clock.advance(0);
    }
  };
  let seq = 0;
  return {
    command: (command: Command) => {
      seq += 1;
      loop.submitCommand({ seq, atMs: clock.now(), author: "ann", onBehalfOf: "", command });
    },
    clock,
    realm,
    journal,
    rows,
    looks,
    failures,
    loop,
    settle,
    send: (ref: string, status: CheckResult["status"]) => loop.submitResult(ref, result(status)),
  };
}

// Every plan of this test needs its own `about`, by which `told` finds the reference again.
for (const object of objects) Object.assign(object, { about: { key: object.key } });

test("a result is durable before its row is told, and rows count up within an epoch", async () => {
  const it = setUp();
  it.send("web1!http", "critical");
  it.send("edge", "ok");
  await it.settle();
  assert.match(it.journal.states.get("web1!http") ?? "", /"status":"critical"/);
  assert.deepEqual(it.rows.get("web1!http")?.epoch, 7);
  assert.deepEqual(
    it.journal.history.map(({ key }) => key?.kind),
    ["service", "host", "process"],
  );
  const revisions = [...it.rows.values()].map((row) => row.revision);
  assert.deepEqual(
    revisions,
    [...revisions].sort((a, b) => a - b),
  );
});

test("where steps take long a round is kept and told before all that waits is taken", async () => {
  const it = setUp();
  let atMs = it.clock.monotonic();
  it.clock.monotonic = () => {
    atMs += 1;
    return atMs;
  };
  for (let n = 0; n < 40; n += 1) it.send("web1", n % 2 === 0 ? "critical" : "ok");
  await it.settle();
  assert.ok(it.journal.appends >= 5, `${it.journal.appends} rounds`);
  const told = it.journal.history.flatMap(({ type, status }) => (type === "state" ? [status] : []));
  assert.deepEqual(
    told,
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? "critical" : "ok")),
    "in their order",
  );
});

test("[BP7-BP8] a process follows its inputs in the same round", async () => {
  const it = setUp();
  it.send("web1!http", "critical");
  await it.settle();
  assert.equal(it.rows.get("process:shop")?.status, "critical");
  assert.equal(it.rows.get("process:shop")?.stateType, "hard");
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(it.rows.get("process:shop")?.status, "ok");
});

test("[RE1] a host that goes down covers its services: their problems are handled by it", async () => {
  const it = setUp();
  it.send("web1!http", "critical");
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.handled, false);
  it.send("web1", "critical");
  await it.settle();
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, ["web1"]);
  assert.equal(it.rows.get("web1!http")?.handled, true);
  it.send("web1", "ok");
  await it.settle();
  assert.deepEqual(it.rows.get("web1!http")?.suppressedBy, []);
});

test("[RE2] a host whose only parent is down is unreachable", async () => {
  const it = setUp();
  it.send("edge", "critical");
  await it.settle();
  assert.deepEqual(it.looks.includes("soon web1"), true);
  it.send("web1", "critical");
  await it.settle();
  assert.equal(it.rows.get("web1")?.status, "unreachable");
  assert.deepEqual(it.rows.get("web1")?.suppressedBy, ["edge"]);
});

test("a host's downtime covers its services", async () => {
  const it = setUp();
  it.send("web1!http", "critical");
  const downtime = { id: "d1", ref: "web1" };
  const command = {
    kind: "schedule_downtime",
    downtimes: [downtime],
    startMs: 1_000_000,
    endMs: 1_060_000,
    comment: "",
    shape: { kind: "fixed" },
  } as const;
  it.loop.submitCommand({ seq: 1, atMs: it.clock.now(), author: "ann", onBehalfOf: "", command });
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.inDowntime, true);
  assert.equal(it.journal.appliedCommandSeq, 1);
  it.loop.start();
  it.clock.advance(60_000);
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.inDowntime, false);
  assert.equal(it.realm.downtimeRefs.size, 0);
  await it.loop.stop();
});

test("a journal that fails stops nothing; when it is back everything is there, commands with their effects", async () => {
  const it = setUp();
  it.loop.start();
  await it.settle();
  it.journal.broken = true;
  it.send("web1!http", "critical");
  await it.settle();
  const comment = { kind: "add_comment", ref: "edge", id: "c1", text: "look" } as const;
  it.loop.submitCommand({ seq: 1, atMs: it.clock.now(), author: "ann", onBehalfOf: "", command: comment });
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.status, "critical", "readers see it all the same");
  assert.equal(it.rows.get("edge")?.comments.length, 1);
  assert.equal(it.journal.states.has("web1!http"), false);
  it.journal.broken = false;
  it.clock.advance(1000);
  await it.settle();
  assert.match(it.journal.states.get("web1!http") ?? "", /critical/);
  assert.match(it.journal.states.get("edge") ?? "", /"text":"look"/);
  assert.equal(it.journal.appliedCommandSeq, 1);
  assert.deepEqual(it.failures, ["the disk is full", "healed"]);
  await it.loop.stop();
});

type Scheduled = Extract<Command, { kind: "schedule_downtime" }>;
const scheduling = (ref: string, id: string, shape: Scheduled["shape"]): Command => ({
  kind: "schedule_downtime",
  downtimes: [{ id, ref }],
  startMs: 1_000_000,
  endMs: 1_060_000,
  comment: "",
  shape,
});

test("[DT7] a downtime whose trigger is in effect already begins at once", async () => {
  const it = setUp();
  it.command(scheduling("edge", "d1", { kind: "fixed" }));
  it.clock.advance(1000);
  await it.settle();
  it.command(scheduling("web1", "d2", { kind: "triggered", triggeredBy: "d1" }));
  await it.settle();
  assert.equal(it.rows.get("web1")?.inDowntime, true);
  it.command({ kind: "delete_downtime", ref: "edge", id: "d1" });
  await it.settle();
  assert.deepEqual([it.rows.get("web1")?.inDowntime, it.realm.downtimeRefs.size], [false, 0]);
});

test("[DT1] what a process was told before a start ends after it", async () => {
  const it = setUp();
  it.command(scheduling("process:shop", "d1", { kind: "fixed" }));
  await it.settle();
  const kept = it.journal.states.get("process:shop") ?? "";
  const again = setUp(new Map([["process:shop", reviveState(JSON.parse(kept), 0)]]));
  again.loop.start();
  await again.settle();
  again.clock.advance(60_000);
  await again.settle();
  assert.equal(again.rows.get("process:shop")?.inDowntime, false);
  await again.loop.stop();
});

test("[TG1, FR5] a switch of the realm reaches every object at once", async () => {
  const it = setUp();
  const flapping = it.realm.records.get("web1!http");
  assert.ok(flapping);
  flapping.state = { ...flapping.state, flap: { value: 0.5, flapping: true } };
  it.command({ kind: "set_program_toggle", toggle: "flapDetection", enabled: false });
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.flapping, false);
  assert.deepEqual(
    it.journal.history.map(({ type }) => type),
    ["toggle"],
  );
});

test("a switch that stands there already tells nothing", async () => {
  const it = setUp();
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: true });
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  await it.settle();
  assert.deepEqual(
    it.journal.history.map(({ output }) => output),
    ["notifications of contact ann off"],
  );
});

test("what is accepted and not applied yet keeps its place while other commands of its object are applied", async () => {
  const it = setUp();
  it.command({ kind: "add_comment", ref: "edge", id: "c1", text: "one" });
  await it.settle();
  it.realm.commentRefs.delete("c1"); // as the desk does when a delete was accepted
  it.command({ kind: "add_comment", ref: "edge", id: "c2", text: "two" });
  await it.settle();
  assert.equal(it.realm.commentRefs.has("c1"), false);
  assert.equal(it.realm.commentRefs.get("c2"), "edge");
});

test("[SC10] a check that was asked for is kept until one that began after it has ended", async () => {
  const it = setUp();
  it.command({ kind: "schedule_check", refs: ["web1!http", "process:shop"] });
  await it.settle();
  assert.deepEqual(it.looks, ["now web1!http"]);
  assert.match(it.journal.states.get("web1!http") ?? "", /"checkAskedAtMs":1000000/);
  it.clock.jumpWall(-1);
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(it.realm.records.get("web1!http")?.state.checkAskedAtMs, 1_000_000, "that one ran already");
  it.clock.jumpWall(1);
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(it.realm.records.get("web1!http")?.state.checkAskedAtMs, undefined);
});

for (const [way, byMs] of [
  ["forward makes nobody stale", 3_600_000],
  ["back keeps nobody from it, though nothing else happens", -3_600_000],
] as const)
  test(`[FR6] a jump of the wall clock ${way}`, async () => {
    const it = setUp();
    const record = it.realm.records.get("edge");
    assert.ok(record);
    const spec = { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "critical" } as const;
    record.plan = { ...record.plan, check: spec } as ObjectPlan;
    it.loop.start();
    await it.settle();
    it.clock.jumpWall(byMs);
    for (let n = 0; n < 50; n += 1) {
      it.clock.advance(1000);
      await it.settle();
    }
    assert.equal(it.realm.statusOf("edge"), "pending");
    it.clock.advance(11_000);
    await it.settle();
    assert.equal(it.realm.statusOf("edge"), "critical");
    await it.loop.stop();
  });
