import assert from "node:assert/strict";
import { test } from "node:test";
import { BodyBudget } from "./body-budget.ts";

test("[PT8] all requests together and those of one peer have a budget, which released ones give back", () => {
  const budget = new BodyBudget({ totalBytes: 100, perPeerBytes: 50 });
  const [first, second, other] = [budget.open("a"), budget.open("a"), budget.open("b")];
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
  const budget = new BodyBudget({ totalBytes: 100, perPeerBytes: 50 });
  const only = budget.open("a");
  assert.deepEqual([only.take(90), only.take(11), only.take(10)], [true, false, true]);
  assert.equal(budget.open("b").take(1), false);
});

test("[PT8] idle peers are forgotten and those with requests are not", () => {
  const budget = new BodyBudget({ totalBytes: 1e6, perPeerBytes: 50 });
  const kept = budget.open("kept");
  kept.take(50);
  for (let peer = 0; peer < 3_000; peer += 1) budget.open(String(peer)).release();
  assert.equal(budget.open("kept").take(1), false);
});
