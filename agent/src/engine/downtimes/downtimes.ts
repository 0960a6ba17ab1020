import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";

/**
 * [DT3, DT4] A triggered downtime begins with its trigger and ends with the earlier of the two ends; told of
 * its trigger outside its own window it does not begin.
 *
 * @param trigger the window of the downtime with the id `triggerId`, which is in effect
 */
export function startTriggeredDowntime(
  downtime: Downtime,
  { triggerId, trigger, nowMs }: { triggerId: string; trigger: Activation; nowMs: number },
): Downtime {
  const { shape, startMs, endMs } = downtime;
  if (shape.kind !== "triggered" || shape.triggeredBy !== triggerId || shape.active !== undefined) return downtime;
  if (nowMs < startMs || nowMs >= endMs) return downtime;
  const active = { fromMs: trigger.fromMs, untilMs: Math.min(endMs, trigger.untilMs) };
  return { ...downtime, shape: { ...shape, active } };
}

/** The window in which those it triggers may be in effect, once it is in effect itself. */
export const activationOf = ({ shape, startMs, endMs }: Downtime): Activation | undefined =>
  shape.kind === "flexible" || shape.kind === "triggered" ? shape.active : { fromMs: startMs, untilMs: endMs };

export const anyInEffect = (downtimes: readonly Downtime[]): boolean => downtimes.some((d) => d.inEffect);

/** The next instant at which settling could say something else; Infinity where there is none. */
export function nextDowntimeDueMs(downtimes: readonly Downtime[], nowMs: number): number {
  let dueMs = Number.POSITIVE_INFINITY;
  for (const { shape, startMs, endMs } of downtimes) {
    const instants =
      (shape.kind === "flexible" || shape.kind === "triggered") && shape.active !== undefined
        ? [shape.active.fromMs, shape.active.untilMs]
        : [startMs, endMs];
    for (const instant of instants) if (instant > nowMs && instant < dueMs) dueMs = instant;
  }
  return dueMs;
}
