import assert from "node:assert/strict";
import { test } from "node:test";
import { ByteBudget } from "./byte-budget.ts";

test("[PT8] all requests together and those of one peer have a budget, which released ones give back", () => {
  const budget = new ByteBudget({ totalBytes: 100, perPeerBytes: 50 });
  const [a, b] = [{ bytes: 0 }, { bytes: 0 }];
  const [first, second, other] = [budget.open(a), budget.open(a), budget.open(b)];
  assert.deepEqual([first.take(30), second.take(20), second.take(1)], [true, true, false]);
  assert.deepEqual([other.take(50), budget.bytes], [true, 100]);
  assert.equal(other.take(1), false);
  first.release();
  assert.deepEqual([budget.bytes, second.take(30), second.take(1)], [70, true, false]);
  second.giveBack(10);
  assert.equal(budget.bytes, 90);
  second.release();
  other.release();
  assert.equal(budget.bytes, 0);
});

test("[PT8] the only request of a peer may exceed the peer's budget, but not the total", () => {
  const budget = new ByteBudget({ totalBytes: 100, perPeerBytes: 50 });
  const only = budget.open({ bytes: 0 });
  assert.deepEqual([only.take(90), only.take(11), only.take(10)], [true, false, true]);
  assert.equal(budget.open({ bytes: 0 }).take(1), false);
});

test("[PT8] a peer's first bytes are taken although others use up the total", () => {
  const budget = new ByteBudget({ totalBytes: 100, perPeerBytes: 50, freeBytes: 10 });
  const [largeBytes, smallBytes] = [{ bytes: 0 }, { bytes: 0 }];
  assert.equal(budget.open(largeBytes).take(100), true);
  const small = budget.open(smallBytes);
  assert.deepEqual([small.take(10), small.take(1), budget.bytes], [true, false, 110]);
  assert.deepEqual(
    [budget.hasRoom(largeBytes), budget.hasRoom(smallBytes), budget.hasRoom({ bytes: 0 })],
    [false, true, true],
  );
});

test("[PT28] bytes that exist already count even above the limits, and then there is no room for more", () => {
  const budget = new ByteBudget({ totalBytes: 1_000, perPeerBytes: 50 });
  const peer = { bytes: 0 };
  const share = budget.open(peer);
  share.add(60);
  assert.deepEqual([budget.bytes, share.bytes, budget.hasRoom(peer)], [60, 60, false]);
  share.giveBack(20);
  assert.equal(budget.hasRoom(peer), true);
});
