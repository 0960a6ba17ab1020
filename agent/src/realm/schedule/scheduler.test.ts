import assert from "node:assert/strict";
import { test } from "node:test";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";

test("[SC1] a new object is checked within its interval, always at the same offset", () => {
  const [a, b] = [openTestScheduler(), openTestScheduler()];
  for (const { scheduler, clock } of [a, b]) {
    for (let n = 0; n < 50; n += 1) scheduler.add(plan(`web${n}`), undefined);
    clock.advance(60_000);
  }
  assert.equal(a.starts.length, 10, "the concurrency limit");
  assert.deepEqual(a.starts, b.starts);
});

test("[SC1] a stored due time holds, an overdue check runs within a retry interval", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("kept"), { nextCheckAtMs: clock.now() + 30_000 });
  scheduler.add(plan("overdue"), { nextCheckAtMs: clock.now() - 500_000 });
  clock.advance(15_000);
  assert.deepEqual(
    starts.map(([ref]) => ref),
    ["overdue"],
  );
  clock.advance(15_000);
  assert.deepEqual(starts[1], ["kept", 30_000]);
});

test("[SC14] a missed check is made up for, and its cadence goes on", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  const next = scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() - 500_000 });
  assert.equal(next.missedTurnAtMs, clock.now() - 20_000);
  clock.advance(15_000);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", 60_000, false), clock.now() + 25_000, "40 s after the start, by its cadence");
});

test("[SC14] a missed check is not made up for if the next slot is within a retry interval", () => {
  const { scheduler, clock } = openTestScheduler();
  const next = scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() - 46_000 });
  assert.deepEqual([next.nextCheckAtMs, next.missedTurnAtMs], [clock.now() + 14_000, undefined]);
});

test("[SC14] a make-up check that is missed too keeps the cadence", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  const stored = { nextCheckAtMs: clock.now() - 4_000, missedTurnAtMs: clock.now() - 20_000 };
  scheduler.add(plan("web1"), stored);
  clock.advance(15_000);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", 60_000, false), clock.now() + 25_000);
  const again = openTestScheduler();
  const due = { nextCheckAtMs: again.clock.now() + 3_000, missedTurnAtMs: again.clock.now() - 20_000 };
  assert.deepEqual(again.scheduler.add(plan("web1"), due), due, "the stored time holds");
  again.clock.advance(3_000);
  assert.equal(again.scheduler.ended("web1", 60_000, false), again.clock.now() + 37_000);
});

test("[SC2] the next check is due one interval after the last due time", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  clock.advance(7000);
  assert.equal(scheduler.ended("web1", 60_000, false), clock.now() + 53_000);
  clock.advance(53_000);
  assert.deepEqual(starts, [
    ["web1", 1000],
    ["web1", 61_000],
  ]);
});

test("[SC2] a missed slot is skipped, the cadence stays", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(130_000);
  scheduler.ended("web1", 60_000, false);
  clock.advance(51_000);
  assert.deepEqual(
    starts.map(([, at]) => at),
    [1000, 181_000],
  );
});

test("[SC5] a soft problem is retried after the retry interval", () => {
  const { scheduler, clock } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1 });
  clock.advance(1);
  assert.equal(scheduler.ended("web1", 15_000, true), clock.now() + 15_000);
  assert.equal(scheduler.resultReceived("web1", 5_000, true), clock.now() + 5_000);
  assert.equal(scheduler.resultReceived("web1", 60_000, false), undefined);
});

test("[SC8] checks that are off do not run, but a requested check does", () => {
  const { scheduler, clock, starts } = openTestScheduler({ active: () => false });
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  assert.equal(starts.length, 0);
  scheduler.checkNow("web1");
  assert.equal(starts.length, 1);
});

test("[SC9] a changed check runs within a retry interval", () => {
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.redefine(plan("web1", 60_000, 10_000));
  const at = scheduler.hasten("web1") ?? 0;
  assert.ok(at <= clock.now() + 10_000);
  assert.equal(scheduler.hasten("web1"), undefined, "it is due soon enough");
  clock.advance(10_000);
  assert.equal(starts.length, 1);
});

test("[SC12] an object that is removed and added while its check runs is not checked twice at once", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1 });
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 10 });
  clock.advance(10);
  scheduler.remove("web1");
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 10 });
  clock.advance(10);
  assert.equal(starts.length, 1, "the first check still runs");
  scheduler.ended("web1", 60_000, false);
  assert.deepEqual([starts.length, scheduler.runningCount], [1, 0]);
  clock.advance(60_000);
  assert.equal(starts.length, 2);
  scheduler.remove("web1");
  scheduler.ended("web1", 60_000, false);
  clock.advance(600_000);
  assert.deepEqual([starts.length, scheduler.runningCount], [2, 0]);
});

test("[SC15] a jump of the wall clock neither starts nor delays checks", () => {
  const hourMs = 3_600_000;
  for (const byMs of [hourMs, -hourMs, 10 * 365 * 24 * hourMs, -1_000_000]) {
    const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 100 });
    for (let n = 0; n < 20; n += 1) scheduler.add(plan(`web${n}`), undefined);
    const minute = (): number => {
      const before = starts.length;
      clock.advance(60_000);
      for (const [ref] of starts.slice(before)) scheduler.ended(ref, 60_000, false);
      return starts.length - before;
    };
    assert.equal(minute(), 20);
    clock.jumpWall(byMs);
    assert.deepEqual([minute(), minute()], [20, 20], `after a jump by ${byMs} ms`);
  }
});

test("[SC16] an interval longer than the maximum of a Node.js timer is kept", () => {
  const monthMs = 31 * 86_400_000;
  const { scheduler, clock, starts } = openTestScheduler();
  scheduler.add(plan("web1", monthMs, monthMs), { nextCheckAtMs: clock.now() + monthMs });
  clock.advance(monthMs - 1);
  assert.equal(starts.length, 0);
  clock.advance(1);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", monthMs, false), clock.now() + monthMs);
});
