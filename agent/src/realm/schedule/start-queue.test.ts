import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import fc from "fast-check";
import { newScheduleEntry, type ScheduleEntry } from "./schedule-entry.ts";
import { openTestScheduler, plan } from "./scheduler.fixture.ts";
import { StartQueue } from "./start-queue.ts";

test("[SC6] the number of running checks is limited, and the longest waiting check starts first", () => {
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

test("[SC11] hanging checks in one queue do not delay those in another", () => {
  const { scheduler, clock, starts } = openTestScheduler({
    maxConcurrent: 2,
    queueNameOf: ({ ref }) => ref.slice(0, 3),
  });
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

test("[SC12] the lag is measured, and an overload does not accumulate checks", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1 });
  for (const ref of ["a", "b", "c"]) scheduler.add(plan(ref), { nextCheckAtMs: clock.now() + 1000 });
  assert.equal(scheduler.lagMs, 0);
  clock.advance(1000);
  assert.deepEqual([scheduler.lagMs, scheduler.waitingCount], [0, 2]);
  clock.advance(600_000);
  assert.deepEqual(
    [scheduler.lagMs, scheduler.waitingCount],
    [600_000, 2],
    "ten intervals later each object waits once",
  );
  for (const [ref] of [...starts]) scheduler.ended(ref, 60_000, false);
  scheduler.ended(starts[1]?.[0] ?? "", 60_000, false);
  scheduler.ended(starts[2]?.[0] ?? "", 60_000, false);
  assert.deepEqual([starts.length, scheduler.lagMs, scheduler.waitingCount], [3, 0, 0]);
});

test("[SC13] a check whose result waits for the disk uses no capacity, and its object is not checked meanwhile", () => {
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
  assert.equal(scheduler.ended("a", 60_000, false), clock.now() + 59_991, "the cadence is based on the due time");
  assert.deepEqual([starts.at(-1)?.[0], scheduler.runningCount], ["a", 1], "the check that was requested meanwhile");
});

test("[SC6] ten thousand on-demand checks start in order, in batches between which the event loop runs", () => {
  const { scheduler, clock, starts } = openTestScheduler({ maxConcurrent: 1000 });
  const refs = Array.from({ length: 10_000 }, (_, n) => `web${n}`);
  for (const ref of refs) scheduler.add(plan(ref, 3_600_000), { nextCheckAtMs: clock.now() + 3_600_000 });
  for (const ref of refs) scheduler.checkSoon(ref, undefined);
  assert.equal(starts.length, 256, "in one batch");
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

const queueNameOf = (ref: string): string => ref.slice(0, 3);

/**
 * A start queue whose queue names are the first three letters of an object's name. `batches` contains the starts of
 * each batch; the first one is made by the caller of `request`.
 *
 * @param limit    checks running at once in each queue
 * @param startMs  time that each start takes, ms
 */
function openTestQueue({ limit, startMs = 0 }: { readonly limit: number; readonly startMs?: number }) {
  const clock = manualClock();
  let elapsedMs = 0;
  const entries = new Map<string, ScheduleEntry>();
  const batches: string[][] = [[]];
  const queue = new StartQueue<ScheduleEntry>({
    clock: {
      ...clock,
      monotonic: () => clock.monotonic() + elapsedMs,
      after: (ms, wake) =>
        clock.after(ms, () => {
          batches.push([]);
          wake();
        }),
    },
    maxConcurrent: limit,
    queueNameOf: ({ ref }) => queueNameOf(ref),
    find: (ref) => entries.get(ref),
    start({ plan: { ref } }) {
      batches.at(-1)?.push(ref);
      elapsedMs += startMs;
    },
  });
  const request = (ref: string): void => {
    const entry = entries.get(ref) ?? newScheduleEntry(plan(ref), undefined);
    entries.set(ref, entry);
    queue.drain(queue.enqueue(entry));
  };
  const end = (ref: string): void => {
    const entry = entries.get(ref);
    if (entry !== undefined) queue.release(entry);
  };
  return { clock, batches, request, end };
}

test("[SC11] a queue with a thousand waiting checks leaves another one its share", () => {
  const { clock, batches, request, end } = openTestQueue({ limit: 600 });
  for (let n = 0; n < 1000; n += 1) request(`dmz${n}`);
  const few = ["web0", "web1", "web2"];
  for (const ref of few) request(ref);
  // Each check ends at once and is requested again, so that both queues always have waiting checks.
  let ended = 0;
  const endAll = (): void => {
    const started = batches.flat().slice(ended);
    ended += started.length;
    for (const ref of started) {
      end(ref);
      request(ref);
    }
    if (ended < 10_000) clock.after(0, endAll);
  };
  clock.after(0, endAll);
  clock.advance(0);
  const [, ...full] = batches.filter((batch) => batch.length === 256);
  assert.ok(full.length > 30);
  for (const [n, batch] of full.slice(1).entries()) {
    const web = [...(full[n] ?? []), ...batch].filter((ref) => queueNameOf(ref) === "web");
    assert.deepEqual(web, few, "once in two batches, in order");
  }
});

test("[SC6, SC11] each queue starts a full batch at least once per number of queues, however much waits elsewhere", () => {
  const names = ["ams", "ber", "cph", "dub"];
  const counts = fc.array(fc.oneof(fc.nat(5), fc.nat(1500)), { minLength: 1, maxLength: names.length });
  const limit = fc.oneof(fc.integer({ min: 1, max: 600 }), fc.constant(10_000));
  fc.assert(
    fc.property(counts, limit, fc.constantFrom(0, 1, 5), (waiting, limit, startMs) => {
      const { clock, batches, request } = openTestQueue({ limit, startMs });
      for (const [queue, count] of waiting.entries()) for (let n = 0; n < count; n += 1) request(`${names[queue]}${n}`);
      clock.advance(0);
      const perBatch = startMs === 0 ? 256 : Math.ceil(4 / startMs);
      const started = new Map<string, number>();
      for (const [n, batch] of batches.entries()) {
        assert.ok(batch.length <= perBatch);
        for (const ref of batch) started.set(queueNameOf(ref), (started.get(queueNameOf(ref)) ?? 0) + 1);
        const rounds = Math.floor(n / waiting.length);
        for (const [queue, count] of waiting.entries()) {
          const least = Math.min(count, limit, rounds * perBatch);
          assert.ok((started.get(names[queue] ?? "") ?? 0) >= least, `${names[queue]} after ${n} batches`);
        }
      }
      assert.deepEqual(
        waiting.map((_, queue) => started.get(names[queue] ?? "") ?? 0),
        waiting.map((count) => Math.min(count, limit)),
      );
    }),
    { numRuns: 200 },
  );
});
