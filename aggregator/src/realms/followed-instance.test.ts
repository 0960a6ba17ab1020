import assert from "node:assert/strict";
import { test } from "node:test";
import { duplicateOf, type InstanceState, noInstance, stateAfterHeard } from "./followed-instance.ts";

const silentAfterMs = 15_000;

function heard(
  ...heartbeats: readonly (readonly [instance: string, atMs: number, previous?: string])[]
): InstanceState {
  return heartbeats.reduce<InstanceState>(
    (state, [instance, atMs, previousInstance = ""]) =>
      stateAfterHeard(state, { instance, previousInstance, atMs }, silentAfterMs),
    noInstance,
  );
}

test("[FD6] the first instance is followed, and its successor at once", () => {
  assert.equal(heard(["a", 0]).followed?.instance, "a");
  const restarted = heard(["a", 0], ["b", 1_000, "a"]);
  assert.equal(restarted.followed?.instance, "b");
  assert.equal(duplicateOf(restarted), undefined);
});

test("[FD6] of two instances the first one stays followed, and both are named", () => {
  const both = heard(["a", 0], ["b", 1_000], ["a", 5_000], ["b", 6_000], ["a", 10_000]);
  assert.equal(both.followed?.instance, "a");
  assert.deepEqual(duplicateOf(both), ["a", "b"]);
});

test("[FD6] an instance that only replaces a silent one is no duplicate, and is followed after the silence", () => {
  const waiting = heard(["a", 0], ["b", 5_000], ["b", 10_000]);
  assert.equal(waiting.followed?.instance, "a");
  assert.equal(duplicateOf(waiting), undefined);
  assert.equal(heard(["a", 0], ["b", 5_000], ["b", 15_001]).followed?.instance, "b");
});
