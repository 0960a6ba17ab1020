import assert from "node:assert/strict";
import { test } from "node:test";
import { openBareLoop } from "../fixtures/bare-loop.fixture.ts";

test("[BP7-BP8] a process is evaluated in the same round as its inputs", async () => {
  const it = openBareLoop();
  it.send("web1!http", "critical");
  await it.settle();
  assert.equal(it.rows.get("process:shop")?.status, "critical");
  assert.equal(it.rows.get("process:shop")?.stateType, "hard");
  it.send("web1!http", "ok");
  await it.settle();
  assert.equal(it.rows.get("process:shop")?.status, "ok");
});

test("[RE1] problems of a service are handled while its host is down", async () => {
  const it = openBareLoop();
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
  const it = openBareLoop();
  it.send("edge", "critical");
  await it.settle();
  assert.deepEqual(it.checkRequests.includes("soon web1"), true);
  it.send("web1", "critical");
  await it.settle();
  assert.equal(it.rows.get("web1")?.status, "unreachable");
  assert.deepEqual(it.rows.get("web1")?.suppressedBy, ["edge"]);
});

test("a downtime of a host applies to its services", async () => {
  const it = openBareLoop();
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
  it.inputs.submitCommand({ seq: 1, atMs: it.clock.now(), author: "ann", onBehalfOf: "", command });
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
