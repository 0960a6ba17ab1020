import assert from "node:assert/strict";
import { test } from "node:test";
import type { DependencyPlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { isDependencyRuleFailed } from "../../engine/processes/dependencies.ts";
import { newState, type ObjectState, type Phase } from "../../engine/state/object-state.ts";
import { DependencyTracker } from "./dependency-tracker.ts";

const dependency = (name: string, more: Partial<DependencyPlan>): DependencyPlan => {
  const onRefs = more.onRefs ?? [];
  return {
    name,
    dependents: [],
    on: { kind: "worst", of: onRefs.map((ref) => ({ kind: "ref", ref })) },
    onRefs,
    failsOn: ["critical"],
    suppress: "all",
    states: "hard",
    inherits: false,
    period: "",
    ...more,
  };
};

/** Alternately open and closed, for so many ms each. */
const lengths: Readonly<Record<string, number>> = { day: 7, shift: 5 };
const slotOf = (period: string, atMs: number): number => Math.floor(atMs / (lengths[period] ?? 1));
const isOpen = (period: string, atMs: number): boolean => slotOf(period, atMs) % 2 === 0;
const nextChange = (period: string, atMs: number): number => (slotOf(period, atMs) + 1) * (lengths[period] ?? 1);
const calendar = {
  isOpen,
  nextOpen: (period: string, atMs: number) => (isOpen(period, atMs) ? atMs : nextChange(period, atMs)),
  nextClose: (period: string, atMs: number) => (isOpen(period, atMs) ? nextChange(period, atMs) : atMs),
};

function openTracker(plans: readonly DependencyPlan[]) {
  const states = new Map<string, ObjectState>();
  const reads: string[] = [];
  const tracker = new DependencyTracker(plans, {
    calendar,
    stateOf: (ref) => {
      reads.push(ref);
      return states.get(ref);
    },
  });
  const move = (ref: string, phase: Phase, lastHardStatus: Status): void => {
    states.set(ref, { ...newState(0), phase, lastHardStatus });
    tracker.stateChanged(ref);
  };
  return {
    tracker,
    states,
    reads,
    move,
    down: (ref: string) => move(ref, { kind: "hard", status: "critical" }, "critical"),
    up: (ref: string) => move(ref, { kind: "ok" }, "ok"),
  };
}

test("[DP4] a dependency does not fail outside its period", () => {
  const it = openTracker([dependency("power", { dependents: ["web"], onRefs: ["ups"], period: "day" })]);
  it.down("ups");
  it.tracker.reset(0);
  assert.deepEqual(it.tracker.failedFor("web", 0), { name: "power", suppress: "all", untilMs: 7 });
  assert.equal(it.tracker.isDue(6), false);
  assert.equal(it.tracker.nextPeriodChangeAtMs, 7);
  assert.equal(it.tracker.isDue(7), true);
  assert.equal(it.tracker.failedFor("web", 7), undefined, "asked before the timer came it says so too");
  assert.deepEqual([...it.tracker.takeChangedDependents(7)], ["web"]);
  assert.equal(it.tracker.nextPeriodChangeAtMs, 14);
  assert.equal(it.tracker.failedFor("web", 3)?.name, "power", "a clock that was set back is followed");
});

test("[DP5] an inheriting dependency fails with the dependencies of its masters", () => {
  const it = openTracker([
    dependency("power", { dependents: ["switch"], onRefs: ["ups"] }),
    dependency("network", { dependents: ["web"], onRefs: ["switch"], inherits: true }),
    dependency("alone", { dependents: ["desk"], onRefs: ["switch"] }),
    dependency("service", { dependents: ["shop"], onRefs: ["web"], inherits: true, suppress: "problems" }),
  ]);
  for (const ref of ["ups", "switch", "web"]) it.up(ref);
  it.tracker.reset(0);
  it.down("ups");
  assert.deepEqual([...it.tracker.takeChangedDependents(0)].sort(), ["shop", "switch", "web"]);
  assert.equal(it.tracker.failedFor("shop", 0)?.suppress, "problems", "it silences as it says itself");
  assert.equal(it.tracker.failedFor("desk", 0), undefined);
  it.up("ups");
  assert.deepEqual([...it.tracker.takeChangedDependents(0)].sort(), ["shop", "switch", "web"]);
});

test("[DP8] a rule is evaluated again only after a change of an object that it reads", () => {
  const it = openTracker([
    dependency("power", { dependents: ["web", "shop"], onRefs: ["ups"] }),
    dependency("other", { dependents: ["desk"], onRefs: ["lamp"] }),
  ]);
  it.tracker.reset(0);
  it.reads.length = 0;
  for (let n = 0; n < 100; n += 1) {
    it.tracker.failedFor("web", n);
    it.tracker.namesOfFailed("shop", n);
    it.tracker.takeChangedDependents(n);
  }
  assert.deepEqual(it.reads, []);
  it.down("ups");
  it.down("bystander");
  for (let n = 0; n < 100; n += 1) it.tracker.failedFor("web", n);
  assert.deepEqual(it.reads, ["ups"]);
  assert.deepEqual([...it.tracker.takeChangedDependents(0)], ["web", "shop"]);
  assert.deepEqual([...it.tracker.takeChangedDependents(0)], [], "reported once");
});

test("[HS5] masters are those of dependencies that have not failed and whose period is open", () => {
  const it = openTracker([
    dependency("power", { dependents: ["web"], onRefs: ["ups", "fuse"] }),
    dependency("network", { dependents: ["web"], onRefs: ["switch", "fuse"] }),
    dependency("shift", { dependents: ["web"], onRefs: ["desk"], period: "day" }),
  ]);
  it.down("ups");
  it.tracker.reset(8);
  const masters = (ref: string, atMs: number) => [...it.tracker.mastersOf(ref, atMs)];
  assert.deepEqual(masters("web", 8), ["switch", "fuse"]);
  assert.deepEqual(masters("web", 15), ["switch", "fuse", "desk"]);
  assert.deepEqual(masters("shop", 8), []);
});

const names = ["a", "b", "c", "d", "e", "f"];
const phases: readonly [Phase, Status][] = [
  [{ kind: "pending" }, "pending"],
  [{ kind: "ok" }, "ok"],
  [{ kind: "soft", status: "critical", attempt: 1 }, "ok"],
  [{ kind: "soft", status: "warning", attempt: 1 }, "pending"],
  [{ kind: "hard", status: "critical" }, "critical"],
  [{ kind: "hard", status: "warning" }, "warning"],
];

/** Dependents come after masters in the list of names, so that there are no cycles. */
const arbitraryPlan = fc
  .record({
    cut: fc.integer({ min: 1, max: names.length - 1 }),
    on: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    dependents: fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
    failsOn: fc.subarray<Status>(["ok", "pending", "warning", "critical"], { minLength: 1 }),
    states: fc.constantFrom("hard", "soft"),
    suppress: fc.constantFrom("all", "problems"),
    inherits: fc.boolean(),
    period: fc.constantFrom("", "day", "shift"),
  })
  .map(({ cut, on, dependents, ...rest }) => {
    const [before, after] = [names.slice(0, cut), names.slice(cut)];
    const pick = (from: string[], at: number[]) => [...new Set(at.map((n) => from[n % from.length] as string))];
    return dependency("", { ...rest, onRefs: pick(before, on), dependents: pick(after, dependents) });
  });

const arbitraryAction = fc.oneof(
  fc.record({ move: fc.constantFrom(...names), to: fc.constantFrom(...phases) }),
  fc.record({ passMs: fc.integer({ min: -6, max: 12 }) }),
  fc.record({ ask: fc.constantFrom(...names) }),
  fc.constant({ round: true } as const),
);

test("[DP4, DP5, DP6, DP8] cached results equal a new evaluation", () => {
  const property = fc.property(
    fc.array(arbitraryPlan, { maxLength: 6 }),
    fc.array(arbitraryAction, { maxLength: 60 }),
    (plain, actions) => {
      const plans = plain.map((plan, at) => ({ ...plan, name: `d${at}` }));
      const it = openTracker(plans);
      let nowMs = 1000;
      const isFailed = (plan: DependencyPlan): boolean => {
        if (plan.period !== "" && !isOpen(plan.period, nowMs)) return false;
        const masters = plans.filter(({ dependents }) => dependents.some((ref) => plan.onRefs.includes(ref)));
        return isDependencyRuleFailed(plan, (ref) => it.states.get(ref)) || (plan.inherits && masters.some(isFailed));
      };
      const failedOf = (ref: string) => plans.filter((plan) => plan.dependents.includes(ref) && isFailed(plan));
      const evaluateAll = () => plans.map(isFailed);
      it.tracker.reset(nowMs);
      let before = evaluateAll();
      for (const action of actions) {
        if ("move" in action) it.move(action.move, ...action.to);
        else if ("passMs" in action) nowMs += action.passMs;
        else if ("ask" in action)
          assert.deepEqual(
            it.tracker.namesOfFailed(action.ask, nowMs),
            failedOf(action.ask).map(({ name }) => name),
          );
        else {
          const now = evaluateAll();
          const changed = plans.filter((_, at) => now[at] !== before[at]).flatMap(({ dependents }) => dependents);
          assert.deepEqual([...it.tracker.takeChangedDependents(nowMs)].sort(), [...new Set(changed)].sort());
          before = now;
        }
      }
      for (const ref of names) {
        const failed = failedOf(ref);
        const strongest = failed.find(({ suppress }) => suppress === "all") ?? failed[0];
        assert.equal(it.tracker.failedFor(ref, nowMs)?.name, strongest?.name);
      }
    },
  );
  fc.assert(property, { numRuns: 2000 });
});
