import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DueHeap } from "./due-heap.ts";

test("what falls due comes soonest first, and nothing before its time", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50)), fc.nat(50), (dues, nowMs) => {
      const heap = new DueHeap<number>();
      for (const due of dues) heap.put(due, due);
      const taken: number[] = [];
      for (let entry = heap.takeDue(nowMs); entry !== undefined; entry = heap.takeDue(nowMs)) taken.push(entry.item);
      const sorted = dues.toSorted((a, b) => a - b);
      assert.deepEqual(
        taken,
        sorted.filter((due) => due <= nowMs),
      );
      assert.equal(heap.nextMs, sorted.find((due) => due > nowMs) ?? Number.POSITIVE_INFINITY);
      assert.equal(heap.size, dues.length - taken.length);
    }),
  );
});
