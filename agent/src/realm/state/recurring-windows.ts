import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { RecurringDowntimePlan } from "@realmwatch/shared/config/plan";
import type { RecurringWindow } from "../../engine/object-context.ts";
import { SharedLists } from "./shared-lists.ts";

/** A value and the time [fromMs, toMs) during which it is valid, Unix ms. */
type Cached<T> = { readonly value: T; readonly fromMs: number; readonly toMs: number };

type Opening = { readonly startMs: number; readonly endMs: number };

/** Time for which a period that never opens again is cached, ms. */
const noOccurrenceValidMs = 86_400_000;

const isValidAt = <T>(cached: Cached<T> | undefined, nowMs: number): cached is Cached<T> =>
  cached !== undefined && cached.fromMs <= nowMs && nowMs < cached.toMs;

/**
 * Recurring downtimes of a plan by object, each with its current or next occurrence. The calendar computes each
 * occurrence of a period once, however many objects it applies to.
 */
export class RecurringWindows {
  readonly #calendar: Pick<Calendar, "occurrence">;
  readonly #plans = new SharedLists<RecurringDowntimePlan>();
  readonly #openings = new Map<string, Cached<Opening | undefined>>();
  readonly #windows = new Map<readonly RecurringDowntimePlan[], Cached<readonly RecurringWindow[]>>();

  constructor(plans: readonly RecurringDowntimePlan[], calendar: Pick<Calendar, "occurrence">) {
    this.#calendar = calendar;
    for (const plan of plans) for (const ref of plan.refs) this.#plans.add(ref, plan);
  }

  of(ref: string, nowMs: number): readonly RecurringWindow[] {
    const plans = this.#plans.of(ref);
    const known = this.#windows.get(plans);
    if (isValidAt(known, nowMs)) return known.value;
    const windows = this.#windowsOf(plans, nowMs);
    this.#windows.set(plans, windows);
    return windows.value;
  }

  #windowsOf(plans: readonly RecurringDowntimePlan[], nowMs: number): Cached<readonly RecurringWindow[]> {
    const value: RecurringWindow[] = [];
    let [fromMs, toMs] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
    for (const { name, comment, period } of plans) {
      const opening = this.#openingOf(period, nowMs);
      fromMs = Math.max(fromMs, opening.fromMs);
      toMs = Math.min(toMs, opening.toMs);
      if (opening.value !== undefined) value.push({ name, comment, ...opening.value });
    }
    return { value, fromMs, toMs };
  }

  #openingOf(period: string, nowMs: number): Cached<Opening | undefined> {
    const known = this.#openings.get(period);
    if (isValidAt(known, nowMs)) return known;
    const found = this.#calendar.occurrence(period, nowMs);
    const opening: Cached<Opening | undefined> =
      found === undefined
        ? { value: undefined, fromMs: nowMs, toMs: nowMs + noOccurrenceValidMs }
        : { value: { startMs: found.fromMs, endMs: found.toMs }, fromMs: nowMs, toMs: found.toMs };
    this.#openings.set(period, opening);
    return opening;
  }
}
