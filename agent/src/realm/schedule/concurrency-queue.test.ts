import assert from "node:assert/strict";
import { test } from "node:test";
import { ConcurrencyQueue } from "./concurrency-queue.ts";

test("[SC6] ids leave the queue in the order of their arrival, however long it becomes", () => {
  const queue = new ConcurrencyQueue(2);
  const taken: string[] = [];
  let pushed = 0;
  for (let round = 0; round < 50; round += 1) {
    for (let n = 0; n < 200; n += 1) queue.push(String(pushed++));
    for (let n = 0; n < 150; n += 1) taken.push(queue.shift() ?? "");
    assert.equal(queue.waiting, pushed - taken.length);
    assert.equal(queue.first, String(taken.length));
  }
  while (queue.first !== undefined) taken.push(queue.shift() ?? "");
  assert.deepEqual(
    taken,
    Array.from({ length: pushed }, (_, n) => String(n)),
  );
  assert.equal(queue.shift(), undefined);
});

test("[SC6] capacity is limited, and released capacity is available again", () => {
  const queue = new ConcurrencyQueue(1);
  assert.ok(queue.hasCapacity);
  queue.acquire();
  assert.ok(!queue.hasCapacity);
  queue.release();
  assert.deepEqual([queue.hasCapacity, queue.running], [true, 0]);
  queue.push("a");
  queue.clear();
  assert.deepEqual([queue.waiting, queue.first], [0, undefined]);
});
