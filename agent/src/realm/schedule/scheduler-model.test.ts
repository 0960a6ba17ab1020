import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import fc from "fast-check";
import type { ScheduledPlan } from "./check-times.ts";
import { Scheduler } from "./scheduler.ts";

const calendar = { isOpen: () => true, nextOpen: () => undefined, nextClose: () => undefined };
const planOf = (ref: string, checkIntervalMs: number): ScheduledPlan =>
  ({
    ref,
    schedule: { checkIntervalMs, retryIntervalMs: checkIntervalMs / 4, timeoutMs: 10, maxAttempts: 3, checkPeriod: "" },
  }) as ScheduledPlan;

const intervalMs = 1000;
const retryMs = 250;

/** Simulated object: first due time, and a cycle of its checks' durations and outcomes. */
type ObjectScenario = {
  readonly firstAtMs: number;
  readonly checks: readonly { readonly tookMs: number; readonly soft: boolean }[];
};
type Start = readonly [ref: number, atMs: number];

/** Reference model: examines all objects at each event. Undefined if two events coincide, since either may be first. */
function startsOf(scenarios: readonly ObjectScenario[], limit: number, untilMs: number): readonly Start[] | undefined {
  const objects = scenarios.map(({ firstAtMs }) => ({ due: firstAtMs, end: Infinity, for: 0, runs: 0 }));
  const [starts, queue] = [[] as Start[], [] as number[]];
  for (;;) {
    const events = objects.flatMap((object, ref) => [
      { at: object.due, ref, what: "due" },
      { at: object.end, ref, what: "end" },
    ]);
    const at = Math.min(...events.map((event) => event.at));
    if (at > untilMs) return starts;
    const [event, ...others] = events.filter((one) => one.at === at);
    if (event === undefined || others.length > 0) return undefined;
    const object = objects[event.ref] as (typeof objects)[number];
    if (event.what === "due") {
      queue.push(event.ref);
      Object.assign(object, { due: Infinity, for: at });
    } else {
      const step = checkOf(scenarios, event.ref, object.runs - 1).soft ? retryMs : intervalMs;
      let due = object.for + step;
      while (due <= at) due += step;
      Object.assign(object, { due, end: Infinity });
    }
    while (queue.length > 0 && objects.filter(({ end }) => end < Infinity).length < limit) {
      const ref = queue.shift() as number;
      const next = objects[ref] as (typeof objects)[number];
      starts.push([ref, at]);
      Object.assign(next, { end: at + checkOf(scenarios, ref, next.runs).tookMs, runs: next.runs + 1 });
    }
  }
}

const checkOf = (scenarios: readonly ObjectScenario[], ref: number, run: number): ObjectScenario["checks"][number] => {
  const checks = scenarios[ref]?.checks ?? [];
  return checks[run % checks.length] as ObjectScenario["checks"][number];
};

/** Starts made by the scheduler for the same objects. */
function scheduledStarts(scenarios: readonly ObjectScenario[], limit: number, untilMs: number): readonly Start[] {
  const clock = manualClock(5_000_000);
  const starts: Start[] = [];
  const runs = scenarios.map(() => 0);
  const scheduler = new Scheduler({
    clock,
    calendar: () => calendar,
    maxConcurrent: limit,
    isActive: () => true,
    start({ ref }) {
      const n = Number(ref);
      starts.push([n, clock.monotonic()]);
      const run = runs[n] ?? 0;
      runs[n] = run + 1;
      const { tookMs, soft } = checkOf(scenarios, n, run);
      clock.after(tookMs, () => {
        if (run % 2 === 0) scheduler.finished(ref);
        scheduler.ended(ref, soft ? retryMs : intervalMs, soft);
      });
    },
    postponed() {},
  });
  for (const [n, { firstAtMs }] of scenarios.entries())
    scheduler.add(planOf(String(n), intervalMs), { nextCheckAtMs: clock.now() + firstAtMs });
  clock.advance(untilMs);
  return starts;
}

test("[SC2, SC5, SC6] the scheduler starts the same checks as the reference model", () => {
  // Fractions of a millisecond, so that events rarely coincide.
  const tookMs = fc.tuple(fc.nat(1500), fc.nat(999)).map(([ms, part]) => ms + (part + 0.5) / 1000);
  const scenario = fc.record({
    firstAtMs: fc.integer({ min: 1, max: intervalMs }),
    checks: fc.array(fc.record({ tookMs, soft: fc.boolean() }), { minLength: 1, maxLength: 5 }),
  });
  const scenarios = fc.uniqueArray(scenario, { minLength: 1, maxLength: 8, selector: ({ firstAtMs }) => firstAtMs });
  let compared = 0;
  fc.assert(
    fc.property(scenarios, fc.integer({ min: 1, max: 4 }), (all, limit) => {
      const expected = startsOf(all, limit, 12_000);
      if (expected === undefined) return;
      compared += 1;
      assert.deepEqual(scheduledStarts(all, limit, 12_000), expected);
    }),
    { numRuns: 300 },
  );
  assert.ok(compared > 50, `only ${compared} cases without coinciding events`);
});

type Action =
  | { readonly kind: "add" | "remove" | "now" | "soon" | "hasten" | "end"; readonly ref: number }
  | { readonly kind: "advance" | "jump"; readonly ms: number };

test("[SC3, SC6, SC12] an object is checked once at a time, capacity is respected and released, and no check is lost", () => {
  const kinds = fc.constantFrom("add" as const, "remove" as const, "now" as const, "soon" as const, "hasten" as const);
  const arbitraryAction: fc.Arbitrary<Action> = fc.oneof(
    fc.record({ kind: kinds, ref: fc.nat(5) }),
    { arbitrary: fc.record({ kind: fc.constant("end" as const), ref: fc.nat(5) }), weight: 3 },
    { arbitrary: fc.record({ kind: fc.constant("advance" as const), ms: fc.nat(900) }), weight: 3 },
    fc.record({ kind: fc.constant("jump" as const), ms: fc.integer({ min: -4e12, max: 4e12 }) }),
  );
  fc.assert(
    fc.property(fc.array(arbitraryAction, { maxLength: 150 }), fc.integer({ min: 1, max: 3 }), (actions, limit) => {
      const clock = manualClock(5_000_000);
      const running = new Map<string, number>();
      const known = new Set<string>();
      const scheduler = new Scheduler({
        clock,
        calendar: () => calendar,
        maxConcurrent: limit,
        queueNameOf: ({ ref }) => (Number(ref) < 4 ? "" : "elsewhere"),
        isActive: () => true,
        start({ ref }) {
          assert.ok(known.has(ref), "only known objects are checked");
          assert.ok(!running.has(ref), "once at a time");
          running.set(ref, clock.monotonic());
        },
        postponed() {},
      });
      const end = (ref: string): void => {
        if (running.delete(ref)) scheduler.ended(ref, intervalMs, false);
      };
      const perform = (action: Action): void => {
        if ("ms" in action) return action.kind === "advance" ? clock.advance(action.ms) : clock.jumpWall(action.ms);
        const ref = String(action.ref);
        switch (action.kind) {
          case "add":
            if (!known.has(ref)) scheduler.add(planOf(ref, intervalMs), undefined);
            return void known.add(ref);
          case "remove":
            known.delete(ref);
            return scheduler.remove(ref);
          case "now":
            return scheduler.checkNow(ref);
          case "soon":
            return scheduler.checkSoon(ref, undefined);
          case "hasten":
            return void scheduler.hasten(ref);
          case "end":
            return end(ref);
        }
      };
      for (const action of actions) {
        perform(action);
        const here = [...running.keys()].filter((ref) => Number(ref) < 4).length;
        assert.ok(here <= limit && running.size - here <= limit);
        assert.equal(scheduler.runningCount, running.size);
      }
      // After enough time each object is checked again and all capacity is free.
      const checked = new Set<string>();
      for (let ms = 0; ms < 3 * intervalMs; ms += 50) {
        for (const ref of [...running.keys()]) {
          checked.add(ref);
          end(ref);
        }
        clock.advance(50);
      }
      for (const ref of known) assert.ok(checked.has(ref), `${ref} was forgotten`);
      for (const ref of [...running.keys()]) end(ref);
      assert.ok(scheduler.waitingCount <= known.size && scheduler.lagMs < intervalMs);
    }),
    { numRuns: 400 },
  );
});
