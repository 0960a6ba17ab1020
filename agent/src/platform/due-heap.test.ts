import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DueHeap, type DueHeapItem, notInHeap } from "./due-heap.ts";

test("items are returned earliest first, and none before it is due", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (dues, now) => {
      const heap = new DueHeap<DueHeapItem>();
      for (const at of dues) heap.set({ at, index: notInHeap }, at);
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

test("an item can be moved, removed and inserted again", () => {
  const heap = new DueHeap<DueHeapItem>();
  const [first, second, third] = [1, 2, 3].map((at) => ({ at, index: notInHeap })) as [
    DueHeapItem,
    DueHeapItem,
    DueHeapItem,
  ];
  for (const item of [third, second, first]) heap.set(item, item.at);
  heap.set(first, 4);
  assert.equal(heap.take(9), second);
  heap.delete(third);
  heap.delete(third);
  assert.equal(heap.take(3), undefined);
  heap.set(third, 5);
  assert.deepEqual([heap.take(9), heap.take(9), heap.take(9), heap.size], [first, third, undefined, 0]);
});
