import { type HostPlan, isChecked, type ObjectPlan, type ServicePlan } from "@realmwatch/shared/config/plan";
import { spreadOf } from "../../engine/state/check-spread.ts";

/** An object whose checks the agent runs itself. */
export type ScheduledPlan = HostPlan | ServicePlan;

/** The object where its checks are ours to run; undefined for one that is passive or a process. */
export const scheduledPlanOf = (plan: ObjectPlan): ScheduledPlan | undefined =>
  isChecked(plan) && plan.check.type !== "passive" ? plan : undefined;

/** When a calendar lets checks run. `nextOpen` and `nextClose` are undefined where that never happens again. */
export interface CheckCalendar {
  isOpen(period: string, atMs: number): boolean;
  nextOpen(period: string, atMs: number): number | undefined;
  nextClose(period: string, atMs: number): number | undefined;
}

/** When an object is due. Unix ms. */
export type NextCheck = {
  readonly nextCheckAtMs: number;
  /** The turn that the next check makes up for, and from which the cadence goes on; undefined where it is a turn itself. */
  readonly missedTurnAtMs?: number | undefined;
};

type FirstCheck = { readonly inMs: number; readonly missedTurnAtMs?: number | undefined };

/**
 * [SC1, SC14] When an object that is taken in comes first. A kept due time holds; an overdue one comes within a retry
 * interval, at its next turn where that is so soon; a new object within a check interval, always at the same place in it.
 */
export function firstCheck({ ref, schedule }: ScheduledPlan, kept: NextCheck | undefined, nowMs: number): FirstCheck {
  const { checkIntervalMs, retryIntervalMs } = schedule;
  const spread = spreadOf(ref);
  if (kept === undefined || kept.nextCheckAtMs - nowMs > checkIntervalMs) return { inMs: spread * checkIntervalMs };
  const { nextCheckAtMs, missedTurnAtMs } = kept;
  if (nextCheckAtMs > nowMs) return { inMs: nextCheckAtMs - nowMs, missedTurnAtMs };
  const lateMs = (nowMs - (missedTurnAtMs ?? nextCheckAtMs)) % checkIntervalMs;
  if (checkIntervalMs - lateMs <= retryIntervalMs) return { inMs: checkIntervalMs - lateMs };
  return { inMs: spread * retryIntervalMs, missedTurnAtMs: nowMs - lateMs };
}

/** The first turn after `now` of a cadence that has one at `at`; all on one clock, ms. */
export const nextSlot = (at: number, intervalMs: number, now: number): number =>
  at + (Math.floor((now - at) / intervalMs) + 1) * intervalMs;

/**
 * [SC7] Until when a closed period holds a check, Unix ms: its opening and the object's place in the interval, or, where
 * it opens for less than that, in the opening. Infinity for ever; undefined where nothing holds it.
 *
 * @param heldUntilMs what was found last; undefined where nothing held it then
 */
export function periodClosedUntilMs(
  { ref, schedule }: ScheduledPlan,
  heldUntilMs: number | undefined,
  { calendar, nowMs }: { readonly calendar: CheckCalendar; readonly nowMs: number },
): number | undefined {
  const { checkPeriod, checkIntervalMs } = schedule;
  if (checkPeriod === "") return undefined;
  if (calendar.isOpen(checkPeriod, nowMs)) {
    const soon = heldUntilMs !== undefined && nowMs < heldUntilMs && heldUntilMs <= nowMs + checkIntervalMs;
    return soon ? heldUntilMs : undefined;
  }
  const opensAtMs = calendar.nextOpen(checkPeriod, nowMs);
  if (opensAtMs === undefined) return Number.POSITIVE_INFINITY;
  const openMs = (calendar.nextClose(checkPeriod, opensAtMs) ?? Number.POSITIVE_INFINITY) - opensAtMs;
  return opensAtMs + spreadOf(ref) * Math.min(checkIntervalMs, openMs);
}
