import type { Activation, Downtime } from "@realmwatch/shared/model/downtime";

/**
 * [DT3, DT4] Starts a downtime that is triggered by `triggerId`. It ends with the earlier of the two ends. A trigger
 * that arrives outside the downtime's own window does not start it.
 *
 * @param trigger activation of the triggering downtime, which is in effect
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

/** Window in which the downtimes that this one triggers may be in effect; undefined before its activation. */
export const activationOf = ({ shape, startMs, endMs }: Downtime): Activation | undefined =>
  shape.kind === "flexible" || shape.kind === "triggered" ? shape.active : { fromMs: startMs, untilMs: endMs };

export const anyInEffect = (downtimes: readonly Downtime[]): boolean => downtimes.some((d) => d.inEffect);

/** Next time at which a downtime begins or ends, Unix ms; Infinity when there is none. */
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
