import assert from "node:assert/strict";
import { test } from "node:test";
import { duplicateOf, type InstanceState, noInstance, stateAfterHeard } from "./followed-instance.ts";

const silentAfterMs = 15_000;

type Heard = readonly [instance: string, atMs: number, more?: { readonly after?: string; readonly leaving?: true }];

const heard = (...heartbeats: readonly Heard[]): InstanceState =>
  heartbeats.reduce<InstanceState>(
    (state, [instance, atMs, { after: previousInstance = "", leaving: isLeaving = false } = {}]) =>
      stateAfterHeard(state, { instance, previousInstance, isLeaving, atMs }, silentAfterMs),
    noInstance,
  );

const followed: readonly (readonly [rule: string, followed: string, ...heartbeats: readonly Heard[]])[] = [
  ["[FD6] the first instance is followed", "a", ["a", 0]],
  ["[FD6] of two instances the first one stays followed", "a", ["a", 0], ["b", 1], ["a", 5_000], ["b", 19_999]],
  ["[FD6] another one is followed when the first one is silent for unreachable_after", "b", ["a", 0], ["b", 15_001]],
  [
    "[FD81] one that has left is replaced by its successor at once",
    "b",
    ["a", 0, { leaving: true }],
    ["b", 1, { after: "a" }],
  ],
  ["[FD81] one that has left is not replaced by a twin", "a", ["a", 0, { leaving: true }], ["b", 1_000]],
  [
    "[FD81] one that has left and goes on has not left",
    "a",
    ["a", 0, { leaving: true }],
    ["a", 1],
    ["b", 2, { after: "a" }],
  ],
  ["[FD81] one that is heard is not replaced by its successor", "a", ["a", 0], ["b", 7_500, { after: "a" }]],
  ["[FD81] one that has missed a heartbeat is replaced by its successor", "b", ["a", 0], ["b", 7_501, { after: "a" }]],
  [
    "[FD81] a copy names the followed one, which is heard",
    "a",
    ["a", 0],
    ["b", 1, { after: "a" }],
    ["a", 6_000],
    ["b", 13_000, { after: "a" }],
  ],
  ["[FD81] the successor of another one is not a successor", "a", ["a", 0], ["b", 8_000, { after: "c" }]],
];
for (const [rule, expected, ...heartbeats] of followed)
  test(rule, () => assert.equal(heard(...heartbeats).followed?.instance, expected));

test("[FD6, FD82] two instances that live at the same time are named, with the time at which both were last known to live", () => {
  const both = heard(["a", 0], ["b", 1_000], ["a", 5_000], ["b", 6_000], ["a", 10_000], ["a", 15_000]);
  assert.deepEqual(duplicateOf(both), { followed: "a", other: "b", atMs: 6_000 });
});

test("[FD6] an instance that only replaces a silent one, or that has left, is not a duplicate", () => {
  assert.equal(duplicateOf(heard(["a", 0], ["b", 5_000], ["b", 10_000])), undefined);
  assert.equal(duplicateOf(heard(["a", 0], ["b", 1_000, { after: "a" }], ["b", 8_000, { after: "a" }])), undefined);
  assert.equal(duplicateOf(heard(["a", 0], ["b", 1_000], ["b", 2_000, { leaving: true }], ["a", 5_000])), undefined);
});
