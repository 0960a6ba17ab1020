import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { DependencyPlan } from "@realmwatch/shared/config/plan";
import { isDependencyRuleFailed, strongestDependency } from "../../engine/processes/dependencies.ts";
import type { FailedDependency } from "../../engine/object-context.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { SharedLists } from "./shared-lists.ts";

/** Whether a period is open in [fromMs, untilMs), Unix ms; Infinity where that stays so. */
type PeriodNow = { readonly open: boolean; readonly fromMs: number; readonly untilMs: number };

type TrackedDependency = {
  readonly plan: DependencyPlan;
  /** Those it inherits from, and those that inherit from it. */
  readonly masters: TrackedDependency[];
  readonly heirs: TrackedDependency[];
  period: PeriodNow;
  /** What the rule says, and what comes of it; undefined until asked for again. */
  fails: boolean | undefined;
  holds: boolean | undefined;
  /** Whether it held when its dependents were last told. */
  told: boolean;
};

const always: PeriodNow = { open: true, fromMs: Number.NEGATIVE_INFINITY, untilMs: Number.POSITIVE_INFINITY };

export type DependencyInputs = {
  readonly calendar: Pick<Calendar, "isOpen" | "nextOpen" | "nextClose">;
  stateOf(ref: string): ObjectState | undefined;
};

/**
 * The dependencies of a plan, and which of them hold. A rule is asked again only after something it reads has moved,
 * a period only where it opens or closes; in between an answer costs a look at the object's own dependencies.
 */
export class DependencyTracker {
  readonly #world: DependencyInputs;
  readonly #all: TrackedDependency[] = [];
  readonly #byDependent = new SharedLists<TrackedDependency>();
  readonly #readers = new SharedLists<TrackedDependency>();
  /** Those with a period, by its name: all of one name share what is known of it. */
  readonly #timed = new Map<string, TrackedDependency[]>();
  /** Those whose answer may be another one than their dependents were told. */
  readonly #stale = new Set<TrackedDependency>();
  #lookedAtMs = Number.POSITIVE_INFINITY;
  #nextFlipAtMs = Number.NEGATIVE_INFINITY;

  constructor(plans: readonly DependencyPlan[], world: DependencyInputs) {
    this.#world = world;
    for (const plan of plans) {
      const watched: TrackedDependency = {
        ...{ plan, masters: [], heirs: [], period: always },
        ...{ fails: undefined, holds: undefined, told: false },
      };
      this.#all.push(watched);
      for (const ref of plan.dependents) this.#byDependent.add(ref, watched);
      for (const ref of new Set(plan.onRefs)) this.#readers.add(ref, watched);
      if (plan.period === "") continue;
      const timed = this.#timed.get(plan.period);
      if (timed === undefined) this.#timed.set(plan.period, [watched]);
      else timed.push(watched);
    }
    for (const watched of this.#all) if (watched.plan.inherits) this.#bequeath(watched);
  }

  /** [DP5] Those on whose dependents it depends hand down that they hold. */
  #bequeath(heir: TrackedDependency): void {
    const masters = new Set(heir.plan.onRefs.flatMap((ref) => this.#byDependent.of(ref)));
    heir.masters.push(...masters);
    for (const master of masters) master.heirs.push(heir);
  }

  /** When a period opens or closes next, Unix ms; Infinity for never. */
  get nextPeriodChangeAtMs(): number {
    return this.#timed.size === 0 ? Number.POSITIVE_INFINITY : this.#nextFlipAtMs;
  }

  /** Whether a period has opened or closed since somebody looked, or the clock was set back. */
  isDue(nowMs: number): boolean {
    return this.#timed.size > 0 && (nowMs >= this.#nextFlipAtMs || nowMs < this.#lookedAtMs);
  }

  hasAny(ref: string): boolean {
    return this.#byDependent.of(ref).length > 0;
  }

  /** The status or the confirmed status of an object has moved. */
  stateChanged(ref: string): void {
    for (const watched of this.#readers.of(ref)) {
      watched.fails = undefined;
      this.#doubt(watched);
    }
  }

  /** One that is doubted already has no heir that relied on it. */
  #doubt(watched: TrackedDependency): void {
    this.#stale.add(watched);
    if (watched.holds === undefined) return;
    watched.holds = undefined;
    for (const heir of watched.heirs) this.#doubt(heir);
  }

  #passTime(nowMs: number): void {
    if (!this.isDue(nowMs)) return;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const [name, timed] of this.#timed) {
      const known = timed[0]?.period ?? always;
      const holds = known !== always && known.fromMs <= nowMs && nowMs < known.untilMs;
      const period = holds ? known : this.#periodAt(name, nowMs);
      nextMs = Math.min(nextMs, period.untilMs);
      if (period !== known) for (const watched of timed) this.#follow(watched, period);
    }
    this.#lookedAtMs = nowMs;
    this.#nextFlipAtMs = nextMs;
  }

  #follow(watched: TrackedDependency, period: PeriodNow): void {
    if (watched.period.open !== period.open) this.#doubt(watched);
    watched.period = period;
  }

  #periodAt(period: string, nowMs: number): PeriodNow {
    const { calendar } = this.#world;
    const open = calendar.isOpen(period, nowMs);
    const untilMs = open ? calendar.nextClose(period, nowMs) : calendar.nextOpen(period, nowMs);
    return { open, fromMs: nowMs, untilMs: untilMs ?? Number.POSITIVE_INFINITY };
  }

  /** [DP4, DP5] */
  #holds(watched: TrackedDependency): boolean {
    if (!watched.period.open) watched.holds = false;
    watched.holds ??= this.#fails(watched) || watched.masters.some((master) => this.#holds(master));
    return watched.holds;
  }

  #fails(watched: TrackedDependency): boolean {
    watched.fails ??= isDependencyRuleFailed(watched.plan, (ref) => this.#world.stateOf(ref));
    return watched.fails;
  }

  #holding(ref: string, nowMs: number): readonly TrackedDependency[] {
    const watching = this.#byDependent.of(ref);
    if (watching.length === 0) return watching;
    this.#passTime(nowMs);
    return watching.filter((watched) => this.#holds(watched));
  }

  /** Names of the dependencies that silence the object now, in the order of the configuration. */
  namesOfFailed(ref: string, nowMs: number): readonly string[] {
    return this.#holding(ref, nowMs).map(({ plan }) => plan.name);
  }

  /** [DP7] The dependency that silences the object now. */
  failedFor(ref: string, nowMs: number): FailedDependency | undefined {
    const failed = this.#holding(ref, nowMs).map(({ plan, period }) => ({
      name: plan.name,
      suppress: plan.suppress,
      untilMs: Number.isFinite(period.untilMs) ? period.untilMs : undefined,
    }));
    return strongestDependency(failed);
  }

  /** What the object's dependencies read, save those that hold already or not now; one may come more than once. */
  *mastersOf(ref: string, nowMs: number): Generator<string> {
    const watching = this.#byDependent.of(ref);
    if (watching.length > 0) this.#passTime(nowMs);
    for (const watched of watching) if (watched.period.open && !this.#holds(watched)) yield* watched.plan.onRefs;
  }

  /** Dependents of those dependencies that began or ceased to hold since this was last asked, each once. */
  takeChangedDependents(nowMs: number): ReadonlySet<string> {
    this.#passTime(nowMs);
    const refs = new Set<string>();
    for (const watched of this.#stale) {
      const holds = this.#holds(watched);
      if (holds === watched.told) continue;
      watched.told = holds;
      for (const ref of watched.plan.dependents) refs.add(ref);
    }
    this.#stale.clear();
    return refs;
  }

  /** Begins anew with the states as they are now, of which everybody will be told. */
  reset(nowMs: number): void {
    for (const watched of this.#all) {
      watched.fails = undefined;
      watched.holds = undefined;
    }
    this.#lookedAtMs = Number.POSITIVE_INFINITY;
    this.#passTime(nowMs);
    for (const watched of this.#all) watched.told = this.#holds(watched);
    this.#stale.clear();
  }
}
