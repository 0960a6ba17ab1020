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

const mute = (contact: string) => ({
  contact,
  author: "ops",
  onBehalfOf: "",
  comment: "",
  atMs: 1500,
  untilMs: 90_000,
});
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
  program: JSON.stringify({ ...newProgramState(aliveAtMs), mutes: [mute("ann"), mute("gone")] }),
});

test("[FR3] missing results during a long outage are excused, during a short one they count", () => {
  const long = recoverState(stored(1000), plan, { nowMs: 40_000 });
  assert.equal(long.states.get("web1!job")?.freshFromMs, 40_000);
  const short = recoverState(stored(20_000), plan, { nowMs: 40_000 });
  assert.equal(short.states.get("web1!job")?.freshFromMs, 1000);
});

test("[TG4] removed objects are reported, and mutes of removed contacts end", () => {
  const { removed, program } = recoverState(stored(1000), plan, { nowMs: 2000 });
  assert.deepEqual(
    removed.map((record) => record.plan.ref),
    ["web1!gone"],
  );
  assert.deepEqual(program.mutes, [mute("ann")]);
});

const hourMs = 3_600_000;
const outages: readonly [
  what: string,
  aliveAtMs: number,
  judgedUntilMs: number | undefined,
  gap: number | undefined,
][] = [
  ["a restart, from the sign of life in the journal", 70_000, undefined, 70_000],
  ["a switch within two seconds leaves no gap", 97_500, 98_000, undefined],
  ["a takeover, from the other member's last word, not from the older sign of life", 70_000, 90_000, 90_000],
  ["a takeover whose members' clocks differ by an hour", 100_000 + hourMs, 90_000, 90_000],
  ["a switch whose members' clocks differ by an hour", 100_000 - hourMs, 99_000, undefined],
];
for (const [what, aliveAtMs, judgedUntilMs, stoppedAtMs] of outages)
  test(`[SL9] the time in which no agent judged: ${what}`, () => {
    const { history, states } = recoverState(stored(aliveAtMs), plan, { nowMs: 100_000, judgedUntilMs });
    assert.deepEqual(
      history.filter(({ type }) => type === "gap").map((entry) => entry.stoppedAtMs),
      stoppedAtMs === undefined ? [] : [stoppedAtMs],
    );
    // The freshness threshold is a minute.
    const isLong = 100_000 - (judgedUntilMs ?? aliveAtMs) > 30_000;
    assert.equal(states.get("web1!job")?.freshFromMs, isLong ? 100_000 : 1000);
  });

test("a new journal recovers to an empty state", () => {
  const { states, removed, program } = recoverState({ states: new Map(), program: undefined }, plan, { nowMs: 5000 });
  assert.deepEqual([states.size, removed, program.toggles.notifications], [0, [], true]);
});
