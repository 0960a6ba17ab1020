import assert from "node:assert/strict";
import { test } from "node:test";
import { openBareLoop, scheduling } from "../fixtures/bare-loop.fixture.ts";

test("[DT7] a downtime whose trigger is in effect already begins at once", async () => {
  const it = openBareLoop();
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

test("[TG1, FR5] a realm toggle affects all objects immediately", async () => {
  const it = openBareLoop();
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

test("a toggle that already has the value is not recorded", async () => {
  const it = openBareLoop();
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: true });
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  it.command({ kind: "set_contact_notifications", contact: "ann", enabled: false });
  await it.settle();
  assert.deepEqual(
    it.journal.history.map(({ output }) => output),
    ["notifications of contact ann off"],
  );
});

test("a submitted deletion counts at once, and stays while other commands of its object are applied", async () => {
  const it = openBareLoop();
  it.command({ kind: "add_comment", ref: "edge", id: "c1", text: "one" });
  await it.settle();
  it.command({ kind: "add_comment", ref: "edge", id: "c2", text: "two" });
  it.command({ kind: "delete_comment", ref: "edge", id: "c1" });
  assert.deepEqual([...it.realm.commentRefs.keys()], ["c2"]);
  await it.settle();
  assert.equal(it.realm.commentRefs.has("c1"), false);
  assert.equal(it.realm.commentRefs.get("c2"), "edge");
});

test("[SC10] a requested check is stored until a check that began after the request has ended", async () => {
  const it = openBareLoop();
  it.command({ kind: "schedule_check", refs: ["web1!http", "process:shop"] });
  await it.settle();
  assert.deepEqual(it.checkRequests, ["now web1!http"]);
  assert.match(it.journal.states.get("web1!http") ?? "", /"checkAskedAtMs":1000000/);
  it.clock.jumpWall(-1);
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(
    it.realm.records.get("web1!http")?.state.checkAskedAtMs,
    1_000_000,
    "that check began before the request",
  );
  it.clock.jumpWall(1);
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(it.realm.records.get("web1!http")?.state.checkAskedAtMs, undefined);
});

test("a submitted result and a comment are written in their round, even if they change nothing else", async () => {
  const it = openBareLoop();
  const result = { ref: "web1!http", status: "ok", output: "ok", longOutput: "", perfdata: [] } as const;
  for (const seq of [1, 2]) {
    const times = { executedAtMs: it.clock.now(), executionMs: undefined, checkSource: "" };
    it.command({ kind: "process_check_results", results: [{ ...result, ...times }] });
    await it.settle();
    assert.equal(it.journal.appliedCommandSeq, seq);
  }
  it.command({ kind: "add_comment", ref: "web1!http", id: "c1", text: "seen" });
  await it.settle();
  assert.match(it.journal.states.get("web1!http") ?? "", /"text":"seen"/);
  assert.equal(it.journal.appliedCommandSeq, 3);
});
