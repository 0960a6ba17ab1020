import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Due, DueHeap, notDue } from "./due-heap.ts";

test("what falls due comes soonest first, and nothing before its time", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (dues, now) => {
      const heap = new DueHeap<Due>();
      for (const at of dues) heap.set({ at, index: notDue }, at);
      const taken: number[] = [];
      for (let item = heap.take(now); item !== undefined; item = heap.take(now)) taken.push(item.at);
      const sorted = dues.toSorted((a, b) => a - b);
      assert.deepEqual(
        taken,
        sorted.filter((at) => at <= now),
      );
      assert.equal(heap.nextAt, sorted.find((at) => at > now) ?? Number.POSITIVE_INFINITY);
      assert.equal(heap.size, dues.length - taken.length);
    }),
  );
});

test("an item moves, leaves and comes again", () => {
  const heap = new DueHeap<Due>();
  const [first, second, third] = [1, 2, 3].map((at) => ({ at, index: notDue })) as [Due, Due, Due];
  for (const item of [third, second, first]) heap.set(item, item.at);
  heap.set(first, 4);
  assert.equal(heap.take(9), second);
  heap.delete(third);
  heap.delete(third);
  assert.equal(heap.take(3), undefined);
  heap.set(third, 5);
  assert.deepEqual([heap.take(9), heap.take(9), heap.take(9), heap.size], [first, third, undefined, 0]);
});
