import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import { reviveState } from "../../engine/state/object-state.ts";
import { openBareLoop, scheduling } from "../fixtures/bare-loop.fixture.ts";

test("a result is durable before its row is published, and revisions rise within an epoch", async () => {
  const it = openBareLoop();
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

test("slow steps end a round early: it is written and published before the remaining inputs are taken", async () => {
  const it = openBareLoop();
  let atMs = it.clock.monotonic();
  it.clock.monotonic = () => {
    atMs += 1;
    return atMs;
  };
  for (let n = 0; n < 40; n += 1) it.send("web1", n % 2 === 0 ? "critical" : "ok");
  await it.settle();
  assert.ok(it.journal.appends >= 5, `${it.journal.appends} rounds`);
  const statuses = it.journal.history.flatMap(({ type, status }) => (type === "state" ? [status] : []));
  assert.deepEqual(
    statuses,
    Array.from({ length: 40 }, (_, n) => (n % 2 === 0 ? "critical" : "ok")),
    "in order",
  );
});

test("the loop goes on while the journal fails, and afterwards everything is written, commands with their effects", async () => {
  const it = openBareLoop();
  it.loop.start();
  await it.settle();
  it.journal.broken = true;
  it.send("web1!http", "critical");
  await it.settle();
  const comment = { kind: "add_comment", ref: "edge", id: "c1", text: "look" } as const;
  it.inputs.submitCommand({ seq: 1, atMs: it.clock.now(), author: "ann", onBehalfOf: "", command: comment });
  await it.settle();
  assert.equal(it.rows.get("web1!http")?.status, "critical", "readers see the change");
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

test("[DT1] the downtime of a process ends after a restart", async () => {
  const it = openBareLoop();
  it.command(scheduling("process:shop", "d1", { kind: "fixed" }));
  await it.settle();
  const stored = it.journal.states.get("process:shop") ?? "";
  const again = openBareLoop(new Map([["process:shop", reviveState(JSON.parse(stored), 0)]]));
  again.loop.start();
  await again.settle();
  again.clock.advance(60_000);
  await again.settle();
  assert.equal(again.rows.get("process:shop")?.inDowntime, false);
  await again.loop.stop();
});

for (const [way, byMs] of [
  ["forward makes no object stale", 3_600_000],
  ["back does not delay staleness, although nothing else happens", -3_600_000],
] as const)
  test(`[FR6] a jump of the wall clock ${way}`, async () => {
    const it = openBareLoop();
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

test("[DL24] a probe is true when the journal takes it, false while the journal fails, and pending while it is stuck", async () => {
  const { inputs, journal, clock, settle } = openBareLoop();
  const probed = async (): Promise<boolean> => {
    const answer = inputs.probe();
    await settle();
    return answer;
  };
  assert.equal(await probed(), true);
  assert.ok(journal.appends > 0);
  journal.broken = true;
  assert.equal(await probed(), false);
  assert.equal(await probed(), false);
  journal.broken = false;
  const { append } = journal.journal;
  clock.advance(1_000);
  await settle();
  assert.equal(await probed(), true, "the journal is written again");
  const stuck = Promise.withResolvers<void>();
  Object.assign(journal.journal, {
    append: async (batch: Parameters<typeof append>[0]) => {
      await stuck.promise;
      return append(batch);
    },
  });
  let answer: boolean | undefined;
  const probe = inputs.probe().then((durable) => {
    answer = durable;
  });
  await settle();
  assert.equal(answer, undefined);
  stuck.resolve();
  await settle();
  await probe;
  assert.equal(answer, true);
});
