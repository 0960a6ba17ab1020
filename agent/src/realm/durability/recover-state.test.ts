import assert from "node:assert/strict";
import { test } from "node:test";
import type { RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { newState } from "../../engine/state/object-state.ts";
import { realmPlan } from "../fixtures/realm-plan.fixture.ts";
import { newProgramState } from "../state/program-state.ts";
import { recoverState } from "./recover-state.ts";
import { hashCheckDefinition, parseStoredObjects } from "./stored-object.ts";

const passive = {
  ref: "web1!job",
  key: { kind: "service", host: "web1", name: "job" },
  host: "web1",
  check: { type: "passive", freshnessThresholdMs: 60_000, staleStatus: "unknown" },
  schedule: {},
} as ServicePlan;
const contacts = new Map([["ann", {}]]);
const plan = realmPlan([passive], { contacts } as unknown as Partial<RealmPlan>);

const json = JSON.stringify({ ...newState(1000), definition: { look: hashCheckDefinition(passive, plan) } });
const stored = (aliveAtMs: number) => ({
  states: new Map(
    parseStoredObjects(
      [
        ["web1!job", json],
        ["web1!gone", json],
      ],
      2000,
    ),
  ),
  program: JSON.stringify({ ...newProgramState(aliveAtMs), mutes: undefined, disabledContacts: ["ann", "gone"] }),
});

test("[FR3] missing results during a long outage are excused, during a short one they count", () => {
  const long = recoverState(stored(1000), plan, 40_000);
  assert.equal(long.states.get("web1!job")?.freshFromMs, 40_000);
  const short = recoverState(stored(20_000), plan, 40_000);
  assert.equal(short.states.get("web1!job")?.freshFromMs, 1000);
});

test("[TG4] removed objects are reported, and contacts that an agent without mutes disabled are muted", () => {
  const { removed, program } = recoverState(stored(1000), plan, 2000);
  assert.deepEqual(
    removed.map((record) => record.plan.ref),
    ["web1!gone"],
  );
  const mute = { contact: "ann", author: "", onBehalfOf: "", comment: "", atMs: 2000, untilMs: undefined };
  assert.deepEqual(program.mutes, [mute]);
});

test("a new journal recovers to an empty state", () => {
  const { states, removed, program } = recoverState({ states: new Map(), program: undefined }, plan, 5000);
  assert.deepEqual([states.size, removed, program.toggles.notifications], [0, [], true]);
});
