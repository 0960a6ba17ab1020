import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import type { RecurringDowntimePlan } from "@realmwatch/shared/config/plan";
import type { RecurringWindow } from "../../engine/object-context.ts";
import { SharedLists } from "./shared-lists.ts";

/** What was found, and the stretch of time [fromMs, toMs) in which asking again would find the same. Unix ms. */
type Kept<T> = { readonly value: T; readonly fromMs: number; readonly toMs: number };

type Opening = { readonly startMs: number; readonly endMs: number };

/** Where a period stays closed for as far as a calendar looks, it is asked again after so long. ms */
const askAgainMs = 86_400_000;

const holdsAt = <T>(kept: Kept<T> | undefined, nowMs: number): kept is Kept<T> =>
  kept !== undefined && kept.fromMs <= nowMs && nowMs < kept.toMs;

/**
 * The recurring downtimes of a plan by object, each with its current or next occurrence. The calendar is asked once
 * for each period and occurrence, however many objects are matched.
 */
export class RecurringWindows {
  readonly #calendar: Pick<Calendar, "occurrence">;
  readonly #plans = new SharedLists<RecurringDowntimePlan>();
  readonly #openings = new Map<string, Kept<Opening | undefined>>();
  readonly #windows = new Map<readonly RecurringDowntimePlan[], Kept<readonly RecurringWindow[]>>();

  constructor(plans: readonly RecurringDowntimePlan[], calendar: Pick<Calendar, "occurrence">) {
    this.#calendar = calendar;
    for (const plan of plans) for (const ref of plan.refs) this.#plans.add(ref, plan);
  }

  of(ref: string, nowMs: number): readonly RecurringWindow[] {
    const plans = this.#plans.of(ref);
    const known = this.#windows.get(plans);
    if (holdsAt(known, nowMs)) return known.value;
    const windows = this.#windowsOf(plans, nowMs);
    this.#windows.set(plans, windows);
    return windows.value;
  }

  #windowsOf(plans: readonly RecurringDowntimePlan[], nowMs: number): Kept<readonly RecurringWindow[]> {
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

  #openingOf(period: string, nowMs: number): Kept<Opening | undefined> {
    const known = this.#openings.get(period);
    if (holdsAt(known, nowMs)) return known;
    const found = this.#calendar.occurrence(period, nowMs);
    const opening: Kept<Opening | undefined> =
      found === undefined
        ? { value: undefined, fromMs: nowMs, toMs: nowMs + askAgainMs }
        : { value: { startMs: found.fromMs, endMs: found.toMs }, fromMs: nowMs, toMs: found.toMs };
    this.#openings.set(period, opening);
    return opening;
  }
}
