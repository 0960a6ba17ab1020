import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { DependencyPlan } from "@realmwatch/shared/config/plan";
import { isProblem } from "@realmwatch/shared/model/status";
import type { FailedDependency } from "../../engine/object-context.ts";
import { isDependencyRuleFailed, strongestDependency } from "../../engine/processes/dependencies.ts";
import { type ObjectState, statusOf } from "../../engine/state/object-state.ts";
import { SharedLists } from "./shared-lists.ts";

/** State of a period during [fromMs, untilMs), Unix ms; Infinity if it never changes. */
type PeriodState = { readonly open: boolean; readonly fromMs: number; readonly untilMs: number };

type TrackedDependency = {
  readonly plan: DependencyPlan;
  /** Dependencies that this one inherits from, and dependencies that inherit from it. */
  readonly masters: TrackedDependency[];
  readonly heirs: TrackedDependency[];
  period: PeriodState;
  /** Cached result of the rule alone; undefined when outdated. */
  ruleFailed: boolean | undefined;
  /** Cached result with period and inheritance; undefined when outdated. */
  failed: boolean | undefined;
  /** Value of `failed` that `takeChangedDependents` last took into account. */
  failedBefore: boolean;
};

const alwaysOpen: PeriodState = {
  open: true,
  fromMs: Number.NEGATIVE_INFINITY,
  untilMs: Number.POSITIVE_INFINITY,
};

/** Number of problems that a row names as what its dependencies failed on. */
const maxProblemsBehind = 100;

type DependencyInputs = {
  readonly calendar: Pick<Calendar, "isOpen" | "nextOpen" | "nextClose">;
  stateOf(ref: string): ObjectState | undefined;
};

/**
 * The dependencies of a plan, and which of them have failed. A rule is evaluated again only after an object that it
 * reads has changed, and a period only when it opens or closes; otherwise cached results are used.
 */
export class DependencyTracker {
  readonly #inputs: DependencyInputs;
  readonly #all: TrackedDependency[] = [];
  readonly #byDependent = new SharedLists<TrackedDependency>();
  readonly #byMaster = new SharedLists<TrackedDependency>();
  /** Dependencies with a period, by its name; those of one name share its state. */
  readonly #byPeriod = new Map<string, TrackedDependency[]>();
  /** Dependencies that may have failed or recovered since `takeChangedDependents`. */
  readonly #possiblyChanged = new Set<TrackedDependency>();
  #periodsCheckedAtMs = Number.POSITIVE_INFINITY;
  #nextPeriodChangeAtMs = Number.NEGATIVE_INFINITY;

  constructor(plans: readonly DependencyPlan[], inputs: DependencyInputs) {
    this.#inputs = inputs;
    for (const plan of plans) {
      const dependency: TrackedDependency = {
        ...{ plan, masters: [], heirs: [], period: alwaysOpen },
        ...{ ruleFailed: undefined, failed: undefined, failedBefore: false },
      };
      this.#all.push(dependency);
      for (const ref of plan.dependents) this.#byDependent.add(ref, dependency);
      for (const ref of new Set(plan.onRefs)) this.#byMaster.add(ref, dependency);
      if (plan.period === "") continue;
      this.#byPeriod.getOrInsertComputed(plan.period, () => []).push(dependency);
    }
    for (const dependency of this.#all) if (dependency.plan.inherits) this.#linkMasters(dependency);
  }

  /** [DP5] Links an inheriting dependency with the dependencies of the objects that it reads. */
  #linkMasters(heir: TrackedDependency): void {
    const masters = new Set(heir.plan.onRefs.flatMap((ref) => this.#byDependent.of(ref)));
    heir.masters.push(...masters);
    for (const master of masters) master.heirs.push(heir);
  }

  /** Time at which a period opens or closes next, Unix ms; Infinity for never. */
  get nextPeriodChangeAtMs(): number {
    return this.#byPeriod.size === 0 ? Number.POSITIVE_INFINITY : this.#nextPeriodChangeAtMs;
  }

  /** True if a period has opened or closed since the last evaluation, or the clock was set back. */
  isDue(nowMs: number): boolean {
    return this.#byPeriod.size > 0 && (nowMs >= this.#nextPeriodChangeAtMs || nowMs < this.#periodsCheckedAtMs);
  }

  hasAny(ref: string): boolean {
    return this.#byDependent.of(ref).length > 0;
  }

  /** Notes that the status or the last hard status of an object changed. */
  stateChanged(ref: string): void {
    for (const dependency of this.#byMaster.of(ref)) {
      dependency.ruleFailed = undefined;
      this.#invalidate(dependency);
    }
  }

  /** Stops at a dependency that is outdated already: those that inherit from it are outdated too. */
  #invalidate(dependency: TrackedDependency): void {
    this.#possiblyChanged.add(dependency);
    if (dependency.failed === undefined) return;
    dependency.failed = undefined;
    for (const heir of dependency.heirs) this.#invalidate(heir);
  }

  #updatePeriods(nowMs: number): void {
    if (!this.isDue(nowMs)) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [name, dependencies] of this.#byPeriod) {
      const known = dependencies[0]?.period ?? alwaysOpen;
      const isValid = known !== alwaysOpen && known.fromMs <= nowMs && nowMs < known.untilMs;
      const period = isValid ? known : this.#periodAt(name, nowMs);
      nextMs = Math.min(nextMs, period.untilMs);
      if (period !== known) for (const dependency of dependencies) this.#setPeriod(dependency, period);
    }
    this.#periodsCheckedAtMs = nowMs;
    this.#nextPeriodChangeAtMs = nextMs;
  }

  #setPeriod(dependency: TrackedDependency, period: PeriodState): void {
    if (dependency.period.open !== period.open) this.#invalidate(dependency);
    dependency.period = period;
  }

  #periodAt(period: string, nowMs: number): PeriodState {
    const { calendar } = this.#inputs;
    const open = calendar.isOpen(period, nowMs);
    const untilMs = open ? calendar.nextClose(period, nowMs) : calendar.nextOpen(period, nowMs);
    return { open, fromMs: nowMs, untilMs: untilMs ?? Number.POSITIVE_INFINITY };
  }

  /** [DP4, DP5] */
  #isFailed(dependency: TrackedDependency): boolean {
    if (!dependency.period.open) dependency.failed = false;
    dependency.failed ??= this.#isRuleFailed(dependency) || dependency.masters.some((master) => this.#isFailed(master));
    return dependency.failed;
  }

  #isRuleFailed(dependency: TrackedDependency): boolean {
    dependency.ruleFailed ??= isDependencyRuleFailed(dependency.plan, (ref) => this.#inputs.stateOf(ref));
    return dependency.ruleFailed;
  }

  #failedOf(ref: string, nowMs: number): readonly TrackedDependency[] {
    const dependencies = this.#byDependent.of(ref);
    if (dependencies.length === 0) return dependencies;
    this.#updatePeriods(nowMs);
    return dependencies.filter((dependency) => this.#isFailed(dependency));
  }

  /** Names of the failed dependencies of an object, in the order of the configuration. */
  namesOfFailed(ref: string, nowMs: number): readonly string[] {
    return this.#failedOf(ref, nowMs).map(({ plan }) => plan.name);
  }

  /** [CS3] References of the objects whose problems let the dependencies of an object fail, as of the last evaluation. */
  problemsBehind(ref: string): readonly string[] {
    const refs = new Set<string>();
    const seen = new Set<TrackedDependency>();
    for (const dependency of this.#byDependent.of(ref))
      if (this.#isFailed(dependency)) this.#addProblems(dependency, refs, seen);
    return [...refs].slice(0, maxProblemsBehind);
  }

  /** Adds the problems that a failed dependency reads; of one that only inherits its failure, those that its masters read. */
  #addProblems(dependency: TrackedDependency, refs: Set<string>, seen: Set<TrackedDependency>): void {
    if (seen.has(dependency)) return;
    seen.add(dependency);
    if (!this.#isRuleFailed(dependency)) {
      for (const master of dependency.masters) if (this.#isFailed(master)) this.#addProblems(master, refs, seen);
      return;
    }
    for (const ref of dependency.plan.onRefs) {
      const state = this.#inputs.stateOf(ref);
      if (state !== undefined && isProblem(statusOf(state.phase))) refs.add(ref);
    }
  }

  /** [DP7] The failed dependency that suppresses most of an object's notifications; undefined if none has failed. */
  failedFor(ref: string, nowMs: number): FailedDependency | undefined {
    const failed = this.#failedOf(ref, nowMs).map(({ plan, period }) => ({
      name: plan.name,
      suppress: plan.suppress,
      untilMs: Number.isFinite(period.untilMs) ? period.untilMs : undefined,
    }));
    return strongestDependency(failed);
  }

  /**
   * Objects that the dependencies of an object read, without those of dependencies that have failed already or are
   * outside their period. May yield an object more than once.
   */
  *mastersOf(ref: string, nowMs: number): Generator<string> {
    const dependencies = this.#byDependent.of(ref);
    if (dependencies.length > 0) this.#updatePeriods(nowMs);
    for (const dependency of dependencies)
      if (dependency.period.open && !this.#isFailed(dependency)) yield* dependency.plan.onRefs;
  }

  /** Returns the dependents of all dependencies that failed or recovered since the last call. */
  takeChangedDependents(nowMs: number): ReadonlySet<string> {
    this.#updatePeriods(nowMs);
    const refs = new Set<string>();
    for (const dependency of this.#possiblyChanged) {
      const failed = this.#isFailed(dependency);
      if (failed === dependency.failedBefore) continue;
      dependency.failedBefore = failed;
      for (const ref of dependency.plan.dependents) refs.add(ref);
    }
    this.#possiblyChanged.clear();
    return refs;
  }

  /** Evaluates everything from the present states, without reporting changes. */
  reset(nowMs: number): void {
    for (const dependency of this.#all) {
      dependency.ruleFailed = undefined;
      dependency.failed = undefined;
    }
    this.#periodsCheckedAtMs = Number.POSITIVE_INFINITY;
    this.#updatePeriods(nowMs);
    for (const dependency of this.#all) dependency.failedBefore = this.#isFailed(dependency);
    this.#possiblyChanged.clear();
  }
}
