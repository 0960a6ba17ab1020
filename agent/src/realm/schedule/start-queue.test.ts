import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import fc from "fast-check";
import { newScheduleEntry, type ScheduleEntry } from "./schedule-entry.ts";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";
import { StartQueue } from "./start-queue.ts";

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

const laneOf = (ref: string): string => ref.slice(0, 3);

/**
 * A queue whose lanes are the first three letters of a name. `goes` holds what was started each time that it had the
 * thread, the first time by whoever asked.
 *
 * @param tookMs for so long each start holds the thread
 */
function openTestQueue({ places, tookMs = 0 }: { readonly places: number; readonly tookMs?: number }) {
  const clock = manualClock();
  let heldMs = 0;
  const entries = new Map<string, ScheduleEntry>();
  const goes: string[][] = [[]];
  const queue = new StartQueue<ScheduleEntry>({
    clock: {
      ...clock,
      monotonic: () => clock.monotonic() + heldMs,
      after: (ms, wake) =>
        clock.after(ms, () => {
          goes.push([]);
          wake();
        }),
    },
    maxConcurrent: places,
    queueNameOf: ({ ref }) => laneOf(ref),
    find: (ref) => entries.get(ref),
    start({ plan: { ref } }) {
      goes.at(-1)?.push(ref);
      heldMs += tookMs;
    },
  });
  const ask = (ref: string): void => {
    const entry = entries.get(ref) ?? newScheduleEntry(plan(ref), undefined);
    entries.set(ref, entry);
    queue.drain(queue.enqueue(entry));
  };
  const end = (ref: string): void => {
    const entry = entries.get(ref);
    if (entry !== undefined) queue.release(entry);
  };
  return { clock, goes, ask, end };
}

test("[SC11] a lane with a thousand checks to start at any time leaves another its share", () => {
  const { clock, goes, ask, end } = openTestQueue({ places: 600 });
  for (let n = 0; n < 1000; n += 1) ask(`dmz${n}`);
  const few = ["web0", "web1", "web2"];
  for (const ref of few) ask(ref);
  // Each check ends at once and is asked for again, so that both lanes always have some that wait.
  let ended = 0;
  const endAll = (): void => {
    const started = goes.flat().slice(ended);
    ended += started.length;
    for (const ref of started) {
      end(ref);
      ask(ref);
    }
    if (ended < 10_000) clock.after(0, endAll);
  };
  clock.after(0, endAll);
  clock.advance(0);
  const [, ...full] = goes.filter((go) => go.length === 256);
  assert.ok(full.length > 30);
  for (const [n, go] of full.slice(1).entries()) {
    const web = [...(full[n] ?? []), ...go].filter((ref) => laneOf(ref) === "web");
    assert.deepEqual(web, few, "once in two goes, the first in their turn");
  }
});

test("[SC6, SC11] in as many goes as there are lanes each may start what one go holds, however much waits elsewhere", () => {
  const names = ["ams", "ber", "cph", "dub"];
  const counts = fc.array(fc.oneof(fc.nat(5), fc.nat(1500)), { minLength: 1, maxLength: names.length });
  const places = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.constant(10_000));
  fc.assert(
    fc.property(counts, places, fc.constantFrom(0, 1, 5), (waiting, places, tookMs) => {
      const { clock, goes, ask } = openTestQueue({ places, tookMs });
      for (const [lane, count] of waiting.entries()) for (let n = 0; n < count; n += 1) ask(`${names[lane]}${n}`);
      clock.advance(0);
      const goHolds = tookMs === 0 ? 256 : Math.ceil(4 / tookMs);
      const started = new Map<string, number>();
      for (const [n, go] of goes.entries()) {
        assert.ok(go.length <= goHolds);
        for (const ref of go) started.set(laneOf(ref), (started.get(laneOf(ref)) ?? 0) + 1);
        const rounds = Math.floor(n / waiting.length);
        for (const [lane, count] of waiting.entries()) {
          const least = Math.min(count, places, rounds * goHolds);
          assert.ok((started.get(names[lane] ?? "") ?? 0) >= least, `${names[lane]} after ${n} goes`);
        }
      }
      assert.deepEqual(
        waiting.map((_, lane) => started.get(names[lane] ?? "") ?? 0),
        waiting.map((count) => Math.min(count, places)),
      );
    }),
    { numRuns: 200 },
  );
});
