import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { openLivenessTracker } from "./liveness-tracker.ts";

function open() {
  const clock = manualClock(1_795_000_000_000);
  const said: string[] = [];
  const log = {
    info: (_: unknown, message: string) => void said.push(message),
    warn: (_: unknown, message: string) => void said.push(message),
  };
  const plan = compileRealmsDocument({ realms: { fra: { description: "main" }, ams: {} } });
  assert.ok(plan.ok);
  const entry = plan.value.get("fra");
  assert.ok(entry);
  const sightings = openLivenessTracker(clock, log as never);
  const beat = (instance = "a", epoch = 1) =>
    sightings.onHeartbeat({ realm: "fra", instance, epoch, revision: 1, sentAtMs: clock.now() + 250 });
  return { clock, said, plan: plan.value, entry, sightings, beat };
}

test("a realm is shown with what is known of it", () => {
  const { sightings, plan, beat, clock } = open();
  beat();
  const [fra, ams] = sightings.realmViews(plan, () => undefined);
  assert.deepEqual(
    [fra?.reachable, fra?.lastSeenAtMs, fra?.clockSkewMs, fra?.description],
    [true, clock.now(), 250, "main"],
  );
  assert.deepEqual([ams?.reachable, ams?.lastSeenAtMs, ams?.clockSkewMs], [false, undefined, undefined]);
});

test("a silent realm says for how long", () => {
  const { sightings, entry, beat, clock } = open();
  assert.match(sightings.unreachableReason(entry) ?? "", /never heard/);
  beat();
  assert.equal(sightings.unreachableReason(entry), undefined);
  clock.advance(75_000);
  assert.equal(sightings.unreachableReason(entry), "is unreachable: it has not been heard for 1m15s");
});

test("coming and going is told once each, the moment it happens", () => {
  const { sightings, plan, beat, clock, said } = open();
  const stop = sightings.logChanges(() => plan);
  clock.advance(10);
  assert.deepEqual(said, [], "nobody came and nobody went");
  beat();
  clock.advance(1_000);
  assert.deepEqual(said, ["realm is reachable"]);
  clock.advance(15_000);
  assert.deepEqual(said, ["realm is reachable", "realm is unreachable"]);
  clock.advance(60_000);
  stop();
  assert.equal(said.length, 2);
});

test("[F18] two agents under one name are told, a restarted one is not", () => {
  const { beat, said } = open();
  for (const epoch of [1, 2, 3]) beat(`run-${epoch}`, epoch);
  assert.deepEqual(said, []);
  for (let i = 0; i < 2; i++) {
    beat("one", 5);
    beat("two", 9);
  }
  beat("one", 5);
  assert.match(said.join(), /two agents publish as the same realm/);
});
