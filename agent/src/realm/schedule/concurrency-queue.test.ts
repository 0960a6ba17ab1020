import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyQueue } from "./concurrency-queue.ts";

test("[SC6] a lane hands out in the order of coming, however long it becomes", () => {
  const lane = new ConcurrencyQueue(2);
  const taken: string[] = [];
  let pushed = 0;
  for (let round = 0; round < 50; round += 1) {
    for (let n = 0; n < 200; n += 1) lane.push(String(pushed++));
    for (let n = 0; n < 150; n += 1) taken.push(lane.shift() ?? "");
    assert.equal(lane.waiting, pushed - taken.length);
    assert.equal(lane.first, String(taken.length));
  }
  while (lane.first !== undefined) taken.push(lane.shift() ?? "");
  assert.deepEqual(
    taken,
    Array.from({ length: pushed }, (_, n) => String(n)),
  );
  assert.equal(lane.shift(), undefined);
});

test("[SC6] a lane has so many places and no more", () => {
  const lane = new ConcurrencyQueue(1);
  assert.ok(lane.hasCapacity);
  lane.acquire();
  assert.ok(!lane.hasCapacity);
  lane.release();
  assert.deepEqual([lane.hasCapacity, lane.running], [true, 0]);
  lane.push("a");
  lane.clear();
  assert.deepEqual([lane.waiting, lane.first], [0, undefined]);
});
