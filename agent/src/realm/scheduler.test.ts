import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/words/manual-clock";
import { Scheduler } from "./scheduler.ts";
import type { Scheduled } from "./turns.ts";

const plan = (name: string, checkIntervalMs = 60_000, retryIntervalMs = 15_000, checkPeriod = ""): Scheduled =>
  ({
    ref: name,
    schedule: { checkIntervalMs, retryIntervalMs, timeoutMs: 10_000, maxAttempts: 3, checkPeriod },
  }) as Scheduled;

/** A scheduler whose checks end when told; `starts` says who started when. */
function setUp(
  options: {
    maxConcurrent?: number;
    open?: (atMs: number) => boolean;
    opensAt?: number;
    closesAt?: number;
    active?: () => boolean;
    lane?: (plan: Scheduled) => string;
  } = {},
) {
  const clock = manualClock(1_000_000);
  const starts: [string, number][] = [];
  const postponed: [string, number | undefined][] = [];
  const scheduler = new Scheduler({
    clock,
    calendar: () => ({
      isOpen: (_, atMs) => options.open?.(atMs) ?? true,
      nextOpen: () => options.opensAt,
      nextClose: () => options.closesAt,
    }),
    maxConcurrent: options.maxConcurrent ?? 10,
    isActive: () => options.active?.() ?? true,
    ...(options.lane === undefined ? {} : { lane: options.lane }),
    start: ({ ref }) => void starts.push([ref, clock.monotonic()]),
    postponed: (ref, at) => void postponed.push([ref, at]),
  });
  return { clock, starts, postponed, scheduler };
}

test("[SC1] a new object is checked within its interval, always at the same place", () => {
  const [a, b] = [setUp(), setUp()];
  for (const { scheduler, clock } of [a, b]) {
    for (let n = 0; n < 50; n += 1) scheduler.add(plan(`web${n}`), undefined);
    clock.advance(60_000);
  }
  assert.equal(a.starts.length, 10, "as many as may run at once");
  assert.deepEqual(a.starts, b.starts);
});

test("[SC1] a kept due time holds, an overdue one comes within a retry interval", () => {
  const { scheduler, clock, starts } = setUp();
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
  const { scheduler, clock, starts } = setUp();
  const turn = scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() - 500_000 });
  assert.equal(turn.missedTurnAtMs, clock.now() - 20_000);
  clock.advance(15_000);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", 60_000, false), clock.now() + 25_000, "40 s after the start, as ever");
});

test("[SC14] a turn that comes within a retry interval needs no making up for", () => {
  const { scheduler, clock } = setUp();
  const turn = scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() - 46_000 });
  assert.deepEqual([turn.nextCheckAtMs, turn.missedTurnAtMs], [clock.now() + 14_000, undefined]);
});

test("[SC14] a check that was to make up for a turn and missed that too keeps the cadence", () => {
  const { scheduler, clock, starts } = setUp();
  const kept = { nextCheckAtMs: clock.now() - 4_000, missedTurnAtMs: clock.now() - 20_000 };
  scheduler.add(plan("web1"), kept);
  clock.advance(15_000);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", 60_000, false), clock.now() + 25_000);
  const again = setUp();
  const due = { nextCheckAtMs: again.clock.now() + 3_000, missedTurnAtMs: again.clock.now() - 20_000 };
  assert.deepEqual(again.scheduler.add(plan("web1"), due), due, "what is planned holds");
  again.clock.advance(3_000);
  assert.equal(again.scheduler.ended("web1", 60_000, false), again.clock.now() + 37_000);
});

test("[SC2] the next check is counted from when the last was due", () => {
  const { scheduler, clock, starts } = setUp();
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

test("[SC2] a turn that was missed is left out, the cadence stays", () => {
  const { scheduler, clock, starts } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(130_000);
  scheduler.ended("web1", 60_000, false);
  clock.advance(51_000);
  assert.deepEqual(
    starts.map(([, at]) => at),
    [1000, 181_000],
  );
});

test("[SC3] a check asked for runs now, keeps the cadence, and runs once more where one is running", () => {
  const { scheduler, clock, starts } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.checkNow("web1");
  scheduler.checkNow("web1");
  scheduler.checkNow("web1");
  assert.equal(scheduler.ended("web1", 60_000, false), undefined);
  assert.equal(starts.length, 2);
  scheduler.ended("web1", 60_000, false);
  clock.advance(50_000);
  assert.deepEqual(
    starts.map(([, at]) => at),
    [0, 0, 50_000],
  );
});

test("[SC4] a look before its turn is skipped where a result is younger than 15 s", () => {
  const { scheduler, clock, starts } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.checkSoon("web1", clock.now() - 14_999);
  assert.equal(starts.length, 0);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  scheduler.checkSoon("web1", clock.now() - 15_000);
  assert.equal(starts.length, 1);
});

test("[SC5] a soft problem is retried after the retry interval", () => {
  const { scheduler, clock } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1 });
  clock.advance(1);
  assert.equal(scheduler.ended("web1", 15_000, true), clock.now() + 15_000);
  assert.equal(scheduler.heard("web1", 5_000, true), clock.now() + 5_000);
  assert.equal(scheduler.heard("web1", 60_000, false), undefined);
});

test("[SC6] no more than so many run at once, who waits longest goes first", () => {
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 2 });
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

test("[SC7] a closed period starts nothing; the next check is due at its opening", () => {
  const opensAt = 1_000_000 + 3_600_000;
  const { scheduler, clock, starts, postponed } = setUp({ open: (atMs) => atMs >= opensAt, opensAt });
  scheduler.add(plan("web1", 60_000, 15_000, "office"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  assert.equal(starts.length, 0);
  const at = postponed[0]?.[1] ?? 0;
  assert.ok(at >= opensAt && at < opensAt + 60_000);
  clock.advance(at - clock.now());
  assert.equal(starts.length, 1);
});

test("[SC7] a period that opens for less than an interval still has every object checked in it", () => {
  const opensAt = 1_000_000 + 3_600_000;
  const closesAt = opensAt + 1000;
  const open = (atMs: number): boolean => atMs >= opensAt && atMs < closesAt;
  const { scheduler, clock, starts } = setUp({ open, opensAt, closesAt, maxConcurrent: 100 });
  for (let n = 0; n < 50; n += 1)
    scheduler.add(plan(`web${n}`, 600_000, 15_000, "minute"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(3_601_000);
  assert.equal(new Set(starts.map(([ref]) => ref)).size, 50);
});

test("[SC7] an opening that a jump of the wall clock brings is noticed", () => {
  const opensAt = 1_000_000 + 8 * 3_600_000;
  const { scheduler, clock, starts, postponed } = setUp({ open: (atMs) => atMs >= opensAt, opensAt });
  scheduler.add(plan("web1", 60_000, 15_000, "office"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(600_000);
  assert.equal(postponed.length, 1, "told once, however often it is looked at");
  clock.jumpWall(8 * 3_600_000);
  clock.advance(60_000);
  assert.equal(starts.length, 1);
});

test("[SC8] switched-off checks do not run, but one that is asked for does", () => {
  const { scheduler, clock, starts } = setUp({ active: () => false });
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 1000 });
  clock.advance(1000);
  assert.equal(starts.length, 0);
  scheduler.checkNow("web1");
  assert.equal(starts.length, 1);
});

test("[SC9] a check that was changed runs within a retry interval, its cadence kept otherwise", () => {
  const { scheduler, clock, starts } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 50_000 });
  scheduler.redefine(plan("web1", 60_000, 10_000));
  const at = scheduler.hasten("web1") ?? 0;
  assert.ok(at <= clock.now() + 10_000);
  assert.equal(scheduler.hasten("web1"), undefined, "it is due soon enough already");
  clock.advance(10_000);
  assert.equal(starts.length, 1);
});

test("[SC4] a look for which no result would do comes at once, but never beside another one", () => {
  const { scheduler, starts } = setUp();
  scheduler.add(plan("web1"), { nextCheckAtMs: 1_000_000 + 50_000 });
  scheduler.checkSoon("web1", undefined);
  scheduler.checkSoon("web1", undefined);
  assert.equal(starts.length, 1);
});

test("[SC11] checks that hang in one lane make none late in another", () => {
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 2, lane: ({ ref }) => ref.slice(0, 3) });
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

test("[SC12] an object that goes and comes back while its check runs is not checked beside it", () => {
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 1 });
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 10 });
  clock.advance(10);
  scheduler.remove("web1");
  scheduler.add(plan("web1"), { nextCheckAtMs: clock.now() + 10 });
  clock.advance(10);
  assert.equal(starts.length, 1, "the first one still runs");
  scheduler.ended("web1", 60_000, false);
  assert.deepEqual([starts.length, scheduler.runningCount], [1, 0]);
  clock.advance(60_000);
  assert.equal(starts.length, 2);
  scheduler.remove("web1");
  scheduler.ended("web1", 60_000, false);
  clock.advance(600_000);
  assert.deepEqual([starts.length, scheduler.runningCount], [2, 0]);
});

test("[SC12] how late the scheduler is shows, and overload piles nothing up", () => {
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 1 });
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

test("[F36] a jump of the wall clock neither starts checks nor keeps them from their turn", () => {
  const hourMs = 3_600_000;
  for (const byMs of [hourMs, -hourMs, 10 * 365 * 24 * hourMs, -1_000_000]) {
    const { scheduler, clock, starts } = setUp({ maxConcurrent: 100 });
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

test("[B31] an interval longer than a timer of Node.js can hold is kept", () => {
  const monthMs = 31 * 86_400_000;
  const { scheduler, clock, starts } = setUp();
  scheduler.add(plan("web1", monthMs, monthMs), { nextCheckAtMs: clock.now() + monthMs });
  clock.advance(monthMs - 1);
  assert.equal(starts.length, 0);
  clock.advance(1);
  assert.equal(starts.length, 1);
  assert.equal(scheduler.ended("web1", monthMs, false), clock.now() + monthMs);
});

test("[SC13] a check whose result waits to be kept holds no place, and its object is not checked beside it", () => {
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 1 });
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
  const { scheduler, clock, starts } = setUp({ maxConcurrent: 1000 });
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
