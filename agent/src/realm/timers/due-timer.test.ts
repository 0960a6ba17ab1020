import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import fc from "fast-check";
import { DueTimer } from "./due-timer.ts";

type Told = { readonly id: string; readonly at: number; readonly toldAt: number };

/**
 * A timer on a clock that moves when told. `turns` holds what it told each time that it had the thread, `taken` how
 * many it had told in all whenever it said that a go was over, `timers` those that it has set on the clock.
 *
 * @param onDue what whoever is told does at once
 */
function openTestTimer(onDue: (id: string, timer: DueTimer) => void = () => {}) {
  const clock = manualClock();
  const turns: Told[][] = [];
  const taken: number[] = [];
  const timers = new Set<() => void>();
  const after: typeof clock.after = (ms, wake) => {
    const cancel = clock.after(ms, () => {
      timers.delete(cancel);
      turns.push([]);
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
      turns.at(-1)?.push({ id, at, toldAt: clock.monotonic() });
      onDue(id, timer);
    },
    batchDone: () => void taken.push(turns.flat().length),
  });
  return { clock, turns, taken, timers, timer };
}

const byTurn = (turns: readonly (readonly Told[])[]): string[][] => turns.map((turn) => turn.map(({ id }) => id));

test("several that are due at once are told of in one go, in the order of their instants", () => {
  const { timer, clock, turns, taken } = openTestTimer();
  clock.advance(100);
  for (const [id, at] of Object.entries({ c: 30, a: 10, d: 100, b: 20.5, e: 101 })) timer.set(id, at);
  assert.deepEqual(turns, [], "whoever sets one goes on first");
  clock.advance(0);
  const toldAt = 100;
  assert.deepEqual(turns, [
    [
      { id: "a", at: 10, toldAt },
      { id: "b", at: 20.5, toldAt },
      { id: "c", at: 30, toldAt },
      { id: "d", at: 100, toldAt },
    ],
  ]);
  assert.deepEqual(taken, [4]);
});

test("where too many are due at once the thread is left in between, and none is lost or out of order", () => {
  const { timer, clock, turns, taken } = openTestTimer();
  clock.advance(1000);
  const ids = Array.from({ length: 600 }, (_, n) => `web${n}`);
  for (const [n, id] of [...ids.entries()].reverse()) timer.set(id, n);
  clock.advance(0);
  assert.deepEqual(byTurn(turns).flat(), ids);
  assert.deepEqual(
    [turns.map((turn) => turn.length), taken],
    [
      [256, 256, 88],
      [256, 512, 600],
    ],
  );
});

test("one that is due again whenever it is told of holds the thread no longer than many do", () => {
  let left = 1000;
  const { timer, clock, turns } = openTestTimer((id) => {
    left -= 1;
    if (left > 0) timer.set(id, 0);
  });
  timer.set("a", 0);
  clock.advance(0);
  assert.equal(byTurn(turns).flat().length, 1000);
  assert.ok(turns.every((turn) => turn.length <= 256));
});

test("an earlier one that is set later is told of at its instant, and so is the other", () => {
  const { timer, clock, turns } = openTestTimer();
  timer.set("a", 100);
  timer.set("b", 90);
  clock.advance(50);
  timer.set("b", 60);
  timer.set("c", 70);
  assert.equal(timer.nextAt, 60);
  clock.advance(1000);
  assert.deepEqual(turns.flat(), [
    { id: "b", at: 60, toldAt: 60 },
    { id: "c", at: 70, toldAt: 70 },
    { id: "a", at: 100, toldAt: 100 },
  ]);
});

test("what one that is told of removes or puts off is not told of in the same go, what it hastens is", () => {
  const { timer, clock, turns } = openTestTimer((id) => {
    if (id !== "a") return;
    assert.equal(timer.at("a"), undefined, "it has no instant any more");
    timer.delete("b");
    timer.set("c", 500);
    timer.set("d", 5);
  });
  clock.advance(10);
  for (const [n, id] of ["a", "b", "c", "e"].entries()) timer.set(id, n);
  timer.set("d", 400);
  clock.advance(0);
  assert.deepEqual(byTurn(turns)[0], ["a", "e", "d"]);
  clock.advance(489);
  assert.equal(turns.flat().length, 3);
  clock.advance(1);
  assert.deepEqual(turns.flat().at(-1), { id: "c", at: 500, toldAt: 500 });
});

test("once nobody is due any more no timer is left, and one for what was removed rings but once", () => {
  const { timer, clock, turns, timers } = openTestTimer();
  timer.set("a", 10);
  timer.set("b", 20);
  assert.equal(timers.size, 1);
  clock.advance(20);
  assert.deepEqual([timers.size, timer.nextAt], [0, Number.POSITIVE_INFINITY]);
  timer.set("c", 30);
  timer.delete("c");
  clock.advance(10);
  assert.equal(timers.size, 0);
  assert.deepEqual(byTurn(turns), [["a"], ["b"], []]);
});

test("a timer that is stopped tells of nobody, and none is set any more", () => {
  const { timer, clock, turns, timers } = openTestTimer();
  timer.set("a", 10);
  timer.stop();
  assert.equal(timers.size, 0);
  timer.set("b", 5);
  clock.advance(100);
  assert.deepEqual([timers.size, turns], [0, []]);
});

test("however they are set, moved and removed, each is told of once, at its last instant or at once where that is past", () => {
  const id = fc.constantFrom(..."abcdefgh");
  const act = fc.oneof(
    {
      arbitrary: fc.record({ kind: fc.constant("set" as const), id, inMs: fc.integer({ min: -30, max: 60 }) }),
      weight: 4,
    },
    fc.record({ kind: fc.constant("delete" as const), id }),
    { arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(40) }), weight: 2 },
  );
  const inOrder = (a: Told, b: Told): number => a.toldAt - b.toldAt || a.at - b.at;
  const byId = (a: Told, b: Told): number => inOrder(a, b) || a.id.localeCompare(b.id);
  fc.assert(
    fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
      const { timer, clock, turns, timers } = openTestTimer();
      const waiting = new Map<string, Told>();
      const advance = (ms: number): void => {
        clock.advance(ms);
        const now = clock.monotonic();
        const due = [...waiting.values()].filter(({ at }) => at <= now);
        for (const one of due) waiting.delete(one.id);
        const told = turns.splice(0).flat();
        assert.deepEqual(told, [...told].sort(inOrder));
        assert.deepEqual(told.sort(byId), due.sort(byId));
      };
      for (const one of acts) {
        if (one.kind === "advance") advance(one.ms);
        else if (one.kind === "delete") {
          timer.delete(one.id);
          waiting.delete(one.id);
        } else {
          const at = clock.monotonic() + one.inMs;
          timer.set(one.id, at);
          waiting.set(one.id, { id: one.id, at, toldAt: Math.max(at, clock.monotonic()) });
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
