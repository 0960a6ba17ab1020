import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import fc from "fast-check";
import { DueTimer } from "./due-timer.ts";

type DueCall = { readonly id: string; readonly at: number; readonly calledAt: number };

/**
 * A timer on a manual clock. `batches` contains the due calls of each batch, `done` the total number of due calls at
 * each `batchDone`, `timers` the timers that are set on the clock.
 *
 * @param onDue called for each due id
 */
function openTestTimer(onDue: (id: string, timer: DueTimer) => void = () => {}) {
  const clock = manualClock();
  const batches: DueCall[][] = [];
  const done: number[] = [];
  const timers = new Set<() => void>();
  const after: typeof clock.after = (ms, wake) => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      batches.push([]);
      wake();
    });
    timers.add(cancel);
    return () => {
      timers.delete(cancel);
      cancel();
    };
  };
  const timer: DueTimer = new DueTimer({
    clock: { ...clock, after },
    due(id, at) {
      batches.at(-1)?.push({ id, at, calledAt: clock.monotonic() });
      onDue(id, timer);
    },
    batchDone: () => void done.push(batches.flat().length),
  });
  return { clock, batches, done, timers, timer };
}

const idsByBatch = (batches: readonly (readonly DueCall[])[]): string[][] =>
  batches.map((batch) => batch.map(({ id }) => id));

test("ids that are due at the same time are called in one batch, in the order of their due times", () => {
  const { timer, clock, batches, done } = openTestTimer();
  clock.advance(100);
  for (const [id, at] of Object.entries({ c: 30, a: 10, d: 100, b: 20.5, e: 101 })) timer.set(id, at);
  assert.deepEqual(batches, [], "not before the caller has finished");
  clock.advance(0);
  const calledAt = 100;
  assert.deepEqual(batches, [
    [
      { id: "a", at: 10, calledAt },
      { id: "b", at: 20.5, calledAt },
      { id: "c", at: 30, calledAt },
      { id: "d", at: 100, calledAt },
    ],
  ]);
  assert.deepEqual(done, [4]);
});

test("a large number of due ids is split into batches, and none is lost or out of order", () => {
  const { timer, clock, batches, done } = openTestTimer();
  clock.advance(1000);
  const ids = Array.from({ length: 600 }, (_, n) => `web${n}`);
  for (const [n, id] of [...ids.entries()].reverse()) timer.set(id, n);
  clock.advance(0);
  assert.deepEqual(idsByBatch(batches).flat(), ids);
  assert.deepEqual(
    [batches.map((batch) => batch.length), done],
    [
      [256, 256, 88],
      [256, 512, 600],
    ],
  );
});

test("an id that is due again at each call does not exceed the size of a batch", () => {
  let left = 1000;
  const { timer, clock, batches } = openTestTimer((id) => {
    left -= 1;
    if (left > 0) timer.set(id, 0);
  });
  timer.set("a", 0);
  clock.advance(0);
  assert.equal(idsByBatch(batches).flat().length, 1000);
  assert.ok(batches.every((batch) => batch.length <= 256));
});

test("an id that is set later for an earlier time is called at its time, and so are the others", () => {
  const { timer, clock, batches } = openTestTimer();
  timer.set("a", 100);
  timer.set("b", 90);
  clock.advance(50);
  timer.set("b", 60);
  timer.set("c", 70);
  assert.equal(timer.nextAt, 60);
  clock.advance(1000);
  assert.deepEqual(batches.flat(), [
    { id: "b", at: 60, calledAt: 60 },
    { id: "c", at: 70, calledAt: 70 },
    { id: "a", at: 100, calledAt: 100 },
  ]);
});

test("ids that a due call removes or postpones are left out of the batch, ids that it hastens are included", () => {
  const { timer, clock, batches } = openTestTimer((id) => {
    if (id !== "a") return;
    assert.equal(timer.at("a"), undefined, "its due time is removed before the call");
    timer.delete("b");
    timer.set("c", 500);
    timer.set("d", 5);
  });
  clock.advance(10);
  for (const [n, id] of ["a", "b", "c", "e"].entries()) timer.set(id, n);
  timer.set("d", 400);
  clock.advance(0);
  assert.deepEqual(idsByBatch(batches)[0], ["a", "e", "d"]);
  clock.advance(489);
  assert.equal(batches.flat().length, 3);
  clock.advance(1);
  assert.deepEqual(batches.flat().at(-1), { id: "c", at: 500, calledAt: 500 });
});

test("no timer is left when the queue is empty, and the timer of a removed id expires once", () => {
  const { timer, clock, batches, timers } = openTestTimer();
  timer.set("a", 10);
  timer.set("b", 20);
  assert.equal(timers.size, 1);
  clock.advance(20);
  assert.deepEqual([timers.size, timer.nextAt], [0, Number.POSITIVE_INFINITY]);
  timer.set("c", 30);
  timer.delete("c");
  clock.advance(10);
  assert.equal(timers.size, 0);
  assert.deepEqual(idsByBatch(batches), [["a"], ["b"], []]);
});

test("a stopped timer makes no calls and sets no timers", () => {
  const { timer, clock, batches, timers } = openTestTimer();
  timer.set("a", 10);
  timer.stop();
  assert.equal(timers.size, 0);
  timer.set("b", 5);
  clock.advance(100);
  assert.deepEqual([timers.size, batches], [0, []]);
});

test("each id is called once, at its last due time or at once if that is past, however it is set, moved and removed", () => {
  const id = fc.constantFrom(..."abcdefgh");
  const action = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.constant("set" as const), id, inMs: fc.integer({ min: -30, max: 60 }) }),
      weight: 4,
    },
    fc.record({ kind: fc.constant("delete" as const), id }),
    { arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(40) }), weight: 2 },
  );
  const inOrder = (a: DueCall, b: DueCall): number => a.calledAt - b.calledAt || a.at - b.at;
  const byId = (a: DueCall, b: DueCall): number => inOrder(a, b) || a.id.localeCompare(b.id);
  fc.assert(
    fc.property(fc.array(action, { maxLength: 60 }), (actions) => {
      const { timer, clock, batches, timers } = openTestTimer();
      const waiting = new Map<string, DueCall>();
      const advance = (ms: number): void => {
        clock.advance(ms);
        const now = clock.monotonic();
        const due = [...waiting.values()].filter(({ at }) => at <= now);
        for (const one of due) waiting.delete(one.id);
        const calls = batches.splice(0).flat();
        assert.deepEqual(calls, [...calls].sort(inOrder));
        assert.deepEqual(calls.sort(byId), due.sort(byId));
      };
      for (const one of actions) {
        if (one.kind === "advance") advance(one.ms);
        else if (one.kind === "delete") {
          timer.delete(one.id);
          waiting.delete(one.id);
        } else {
          const at = clock.monotonic() + one.inMs;
          timer.set(one.id, at);
          waiting.set(one.id, { id: one.id, at, calledAt: Math.max(at, clock.monotonic()) });
        }
        assert.ok(timers.size <= 1);
        assert.equal(timer.nextAt, Math.min(...[...waiting.values()].map(({ at }) => at)));
      }
      advance(100);
      assert.equal(timers.size, 0);
    }),
    { numRuns: 300 },
  );
});
