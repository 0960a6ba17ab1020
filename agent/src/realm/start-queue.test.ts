import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";

test("[SC6] no more than so many run at once, who waits longest goes first", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 2 });
  for (const [n, ref] of ["a", "b", "c", "d"].entries())
    scheduler.add(plan(ref), { nextCheckAtMs: clock.now() + n + 1 });
  clock.advance(10);
  assert.deepEqual(
    starts.map(([ref]) => ref),
    ["a", "b"],
  );
  assert.equal(scheduler.waitingCount, 2);
  scheduler.ended("b", 60_000, false);
  scheduler.ended("a", 60_000, false);
  assert.deepEqual(
    starts.map(([ref]) => ref),
    ["a", "b", "c", "d"],
  );
});

test("[SC11] checks that hang in one lane make none late in another", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 2, lane: ({ ref }) => ref.slice(0, 3) });
  for (let n = 0; n < 5; n += 1) scheduler.add(plan(`dmz${n}`), { nextCheckAtMs: clock.now() + 1 + n });
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  assert.deepEqual(
    starts.map(([ref]) => ref),
    ["dmz0", "dmz1", "web1"],
  );
  assert.deepEqual([scheduler.runningCount, scheduler.waitingCount], [3, 3]);
  scheduler.ended("dmz0", 60_000, false);
  assert.equal(starts.at(-1)?.[0], "dmz2");
});

test("[SC12] how late the scheduler is shows, and overload piles nothing up", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1 });
  for (const ref of ["a", "b", "c"]) scheduler.add(plan(ref), { nextCheckAtMs: clock.now() + 1000 });
  assert.equal(scheduler.lagMs, 0);
  clock.advance(1000);
  assert.deepEqual([scheduler.lagMs, scheduler.waitingCount], [0, 2]);
  clock.advance(600_000);
  assert.deepEqual([scheduler.lagMs, scheduler.waitingCount], [600_000, 2], "ten turns later still one wait each");
  for (const [ref] of [...starts]) scheduler.ended(ref, 60_000, false);
  scheduler.ended(starts[1]?.[0] ?? "", 60_000, false);
  scheduler.ended(starts[2]?.[0] ?? "", 60_000, false);
  assert.deepEqual([starts.length, scheduler.lagMs, scheduler.waitingCount], [3, 0, 0]);
});

test("[SC13] a check whose result waits to be kept holds no place, and its object is not checked beside it", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1 });
  for (const [n, ref] of ["a", "b", "c"].entries()) scheduler.add(plan(ref), { nextCheckAtMs: clock.now() + 1 + n });
  clock.advance(10);
  scheduler.finished("a");
  scheduler.finished("b");
  assert.deepEqual([starts.map(([ref]) => ref), scheduler.runningCount], [["a", "b", "c"], 1]);
  scheduler.checkNow("a");
  scheduler.finished("c");
  clock.advance(600_000);
  assert.equal(starts.length, 3);
  assert.equal(scheduler.ended("a", 60_000, false), clock.now() + 59_991, "the cadence is that of the due time");
  assert.deepEqual([starts.at(-1)?.[0], scheduler.runningCount], ["a", 1], "what was asked for meanwhile");
});

test("[SC6] ten thousand looks asked for at once queue in their order, and leave the thread to others in between", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1000 });
  const refs = Array.from({ length: 10_000 }, (_, n) => `web${n}`);
  for (const ref of refs) scheduler.add(plan(ref, 3_600_000), { nextCheckAtMs: clock.now() + 3_600_000 });
  for (const ref of refs) scheduler.checkSoon(ref, undefined);
  assert.equal(starts.length, 256, "in one go");
  clock.advance(0);
  assert.deepEqual([starts.length, scheduler.runningCount, scheduler.waitingCount], [1000, 1000, 9000]);
  for (let n = 0; n < refs.length; n += 1) {
    scheduler.ended(refs[n] ?? "", 3_600_000, false);
    clock.advance(0);
  }
  assert.deepEqual(
    starts.map(([ref]) => ref),
    refs,
  );
});
