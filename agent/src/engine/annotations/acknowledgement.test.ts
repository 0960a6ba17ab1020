import assert from "node:assert/strict";
import { test } from "node:test";
import { objectScenario } from "../step.fixture.ts";

const acknowledgement = {
  author: "ann",
  onBehalfOf: "",
  comment: "on it",
  sticky: false,
  atMs: 5,
  expiresAtMs: undefined,
};

test("[AC1] acknowledging an object without a problem changes nothing but history", () => {
  const it = objectScenario();
  it.result(1, "ok");
  it.send(5, { kind: "acknowledge", acknowledgement, notify: false });
  assert.equal(it.state().acknowledgement, undefined);
  assert.deepEqual(it.history, ["state", "acknowledged"]);
});

test("[AC2] a plain acknowledgement ends with any change of status", () => {
  const it = objectScenario();
  it.result(1, "warning");
  it.send(5, { kind: "acknowledge", acknowledgement, notify: false });
  it.result(6, "warning");
  assert.notEqual(it.state().acknowledgement, undefined);
  it.result(7, "critical");
  assert.equal(it.state().acknowledgement, undefined);
});

test("[AC3] a sticky acknowledgement ends only with recovery", () => {
  const it = objectScenario();
  it.result(1, "warning");
  it.send(5, { kind: "acknowledge", acknowledgement: { ...acknowledgement, sticky: true }, notify: false });
  it.result(6, "critical");
  assert.notEqual(it.state().acknowledgement, undefined);
  it.result(7, "ok");
  assert.equal(it.state().acknowledgement, undefined);
  assert.equal(it.history.at(-1), "acknowledgement_removed");
});

test("[AC4] an acknowledgement ends when it expires", () => {
  const it = objectScenario();
  it.result(1, "critical");
  it.send(5, { kind: "acknowledge", acknowledgement: { ...acknowledgement, expiresAtMs: 50 }, notify: false });
  assert.equal(it.dueMs(), 50);
  it.send(49, { kind: "due" });
  assert.notEqual(it.state().acknowledgement, undefined);
  it.send(50, { kind: "due" });
  assert.equal(it.state().acknowledgement, undefined);
});
