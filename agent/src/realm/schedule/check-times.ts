import type { Calendar } from "@realmwatch/shared/calendar/timeperiod";
import { type HostPlan, isChecked, type ObjectPlan, type ServicePlan } from "@realmwatch/shared/config/plan";
import { spreadOf } from "../../engine/state/check-spread.ts";

/** Definition of an object whose checks the agent schedules itself. */
export type ScheduledPlan = HostPlan | ServicePlan;

/** The definition if the agent schedules its checks; undefined for passive objects and processes. */
export const scheduledPlanOf = (plan: ObjectPlan): ScheduledPlan | undefined =>
  isChecked(plan) && plan.check.type !== "passive" ? plan : undefined;

/** Calendar of check periods. */
export type CheckCalendar = Omit<Calendar, "occurrence">;

/** Time of an object's next regular check, Unix ms. */
export type NextCheck = {
  readonly nextCheckAtMs: number;
  /** Missed time slot that the check makes up for and from which the cadence goes on; undefined for a regular slot. */
  readonly missedTurnAtMs?: number | undefined;
};

type FirstCheck = { readonly inMs: number; readonly missedTurnAtMs?: number | undefined };

/**
 * [SC1, SC14] Time of the first check of an object that is added to the schedule. A stored due time in the future holds.
 * An overdue check runs within a retry interval, or at its next regular slot if that is as soon. A new object is checked
 * within a check interval, at an offset that depends on its name alone.
 */
export function firstCheck({ ref, schedule }: ScheduledPlan, stored: NextCheck | undefined, nowMs: number): FirstCheck {
  const { checkIntervalMs, retryIntervalMs } = schedule;
  const spread = spreadOf(ref);
  if (stored === undefined || stored.nextCheckAtMs - nowMs > checkIntervalMs) return { inMs: spread * checkIntervalMs };
  const { nextCheckAtMs, missedTurnAtMs } = stored;
  if (nextCheckAtMs > nowMs) return { inMs: nextCheckAtMs - nowMs, missedTurnAtMs };
  const lateMs = (nowMs - (missedTurnAtMs ?? nextCheckAtMs)) % checkIntervalMs;
  if (checkIntervalMs - lateMs <= retryIntervalMs) return { inMs: checkIntervalMs - lateMs };
  return { inMs: spread * retryIntervalMs, missedTurnAtMs: nowMs - lateMs };
}

/** First time slot after `now` of the cadence that has a slot at `at`. All times on one clock, ms. */
export const nextSlot = (at: number, intervalMs: number, now: number): number =>
  at + (Math.floor((now - at) / intervalMs) + 1) * intervalMs;

/**
 * [SC7] Time until which a closed check period delays a check, Unix ms: its opening plus the object's offset within the
 * interval, or within the opening if that is shorter. Infinity if it never opens; undefined while nothing delays it.
 *
 * @param knownUntilMs previous return value for this object
 */
export function periodClosedUntilMs(
  { ref, schedule }: ScheduledPlan,
  knownUntilMs: number | undefined,
  { calendar, nowMs }: { readonly calendar: CheckCalendar; readonly nowMs: number },
): number | undefined {
  const { checkPeriod, checkIntervalMs } = schedule;
  if (checkPeriod === "") return undefined;
  if (calendar.isOpen(checkPeriod, nowMs)) {
    const isAhead = knownUntilMs !== undefined && nowMs < knownUntilMs && knownUntilMs <= nowMs + checkIntervalMs;
    return isAhead ? knownUntilMs : undefined;
  }
  const opensAtMs = calendar.nextOpen(checkPeriod, nowMs);
  if (opensAtMs === undefined) return Number.POSITIVE_INFINITY;
  const openMs = (calendar.nextClose(checkPeriod, opensAtMs) ?? Number.POSITIVE_INFINITY) - opensAtMs;
  return opensAtMs + spreadOf(ref) * Math.min(checkIntervalMs, openMs);
}
