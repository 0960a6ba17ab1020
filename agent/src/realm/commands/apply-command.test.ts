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

test("[TG1, FR5] a switch of the realm reaches every object at once", async () => {
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

test("a switch that stands there already tells nothing", async () => {
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

test("what is accepted and not applied yet keeps its place while other commands of its object are applied", async () => {
  const it = openBareLoop();
  it.command({ kind: "add_comment", ref: "edge", id: "c1", text: "one" });
  await it.settle();
  it.realm.commentRefs.delete("c1"); // as the desk does when a delete was accepted
  it.command({ kind: "add_comment", ref: "edge", id: "c2", text: "two" });
  await it.settle();
  assert.equal(it.realm.commentRefs.has("c1"), false);
  assert.equal(it.realm.commentRefs.get("c2"), "edge");
});

test("[SC10] a check that was asked for is kept until one that began after it has ended", async () => {
  const it = openBareLoop();
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

/** Submitted results, one after the other, each applied before the next one comes. */
async function submit(it: ReturnType<typeof openBareLoop>, ...statuses: readonly ("ok" | "critical")[]): Promise<void> {
  for (const status of statuses) {
    const result = {
      ref: "web1!http",
      status,
      output: status,
      longOutput: "",
      perfdata: [],
      executedAtMs: it.clock.now(),
    };
    it.command({ kind: "process_check_results", results: [{ ...result, executionMs: undefined, checkSource: "" }] });
    await it.settle();
  }
}

test("[DU10] equal results and comments of what is well are told at once and written later", async () => {
  const it = openBareLoop();
  await submit(it, "ok");
  assert.equal(it.journal.appliedCommandSeq, 1, "the first result is news");
  const written = it.journal.states.get("web1!http");
  await submit(it, "ok");
  it.command({ kind: "add_comment", ref: "web1!http", id: "c1", text: "seen" });
  await it.settle();
  assert.deepEqual([it.rows.get("web1!http")?.comments.length, it.journal.history.at(-1)?.type], [1, "comment_added"]);
  assert.deepEqual([it.journal.states.get("web1!http"), it.journal.appliedCommandSeq], [written, 1]);
  it.clock.advance(4_000);
  await it.settle();
  assert.match(it.journal.states.get("web1!http") ?? "", /"text":"seen".*"upToCommand":3/);
  assert.equal(it.journal.appliedCommandSeq, 3);
});

test("[DU10] of what has a problem, and of what is moved otherwise in the same round, all is written at once", async () => {
  const it = openBareLoop();
  await submit(it, "ok", "critical", "critical", "critical", "critical");
  assert.equal(it.journal.appliedCommandSeq, 5);
  it.command({ kind: "add_comment", ref: "web1!http", id: "c1", text: "seen" });
  await it.settle();
  assert.match(it.journal.states.get("web1!http") ?? "", /"text":"seen"/);
  it.command({ kind: "add_comment", ref: "edge", id: "c2", text: "first" });
  it.command({ kind: "set_object_notifications", refs: ["edge"], enabled: false });
  it.command({ kind: "add_comment", ref: "edge", id: "c3", text: "last" });
  await it.settle();
  assert.match(it.journal.states.get("edge") ?? "", /"first".*"last"/);
  assert.equal(it.journal.appliedCommandSeq, 9);
});
