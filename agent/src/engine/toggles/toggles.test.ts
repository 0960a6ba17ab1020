import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectInput } from "../input.ts";
import { defaultObjectContext } from "../object-context.fixture.ts";
import { flapPlan } from "../plans.fixture.ts";
import type { ObjectState } from "../state/object-state.ts";
import { newState } from "../state/object-state.ts";
import { annAuthor, httpServicePlan, objectScenario } from "../step.fixture.ts";
import { step } from "../step.ts";

test("[TG3] a toggle that is off is switched on again when the configuration of the same setting changes", () => {
  const at = (flapEnabled: boolean, state: ObjectState, input: ObjectInput) => {
    const plan = { ...httpServicePlan, handlerEnabled: true, flap: { ...flapPlan, enabled: flapEnabled } };
    return step({ plan, objectContext: defaultObjectContext, nowMs: 1 }, JSON.parse(JSON.stringify(state)), input);
  };
  const off = (toggle: "flapDetection" | "eventHandler") =>
    ({ kind: "set_toggle", toggle, enabled: false, by: annAuthor }) as const;
  const handlerOff = at(true, newState(0), off("eventHandler")).state;
  const bothOff = at(true, handlerOff, off("flapDetection")).state;
  assert.equal(
    at(true, bothOff, { kind: "due" }).state.toggles.flapDetection,
    false,
    "the configuration has not changed",
  );
  const applied = at(false, bothOff, { kind: "due" });
  assert.deepEqual(
    applied.history.map(({ output, author }) => `${output} by ${author}`),
    ["flap_detection on by realmwatch"],
  );
  assert.equal(applied.state.toggles.eventHandler, false, "its configuration has not changed");
});

test("[TG2] with passive checks off a submitted result is dropped and recorded in history", () => {
  const it = objectScenario(httpServicePlan, { passiveChecksOn: false });
  it.result(1, "critical", { origin: "passive" });
  assert.equal(it.state().phase.kind, "pending");
  assert.deepEqual(it.history, ["state"]);
});

test("[TG1] switching flap detection off resets the flap value", () => {
  const it = objectScenario();
  for (let n = 1; n < 10; n += 1) it.result(n, n % 2 ? "ok" : "critical");
  assert.equal(it.state().flap.flapping, true);
  it.send(20, { kind: "set_toggle", toggle: "flapDetection", enabled: false, by: annAuthor });
  assert.deepEqual(it.state().flap, { value: 0, flapping: false });
  assert.ok(!it.history.includes("flapping_stop"));
});

test("[TG1] the realm's toggle resets it too, at once and without history", () => {
  const it = objectScenario();
  for (let n = 1; n < 10; n += 1) it.result(n, n % 2 ? "ok" : "critical");
  const off = { flapDetectionOn: false };
  it.send(20, { kind: "program_toggle", toggle: "flapDetection" }, off);
  assert.deepEqual(it.state().flap, { value: 0, flapping: false });
  const restarted = objectScenario();
  for (let n = 1; n < 10; n += 1) restarted.result(n, n % 2 ? "ok" : "critical");
  restarted.result(10, "ok", {}, off);
  assert.ok(![...it.history, ...restarted.history].includes("flapping_stop"));
});
