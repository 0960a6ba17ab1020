import type { Activation, Downtime } from "@realmwatch/shared/words/downtime";
import { never } from "@realmwatch/shared/words/never";

/** [DT1-DT4] Whether the downtime is in effect. The end is not part of it. */
function isInEffect(downtime: Downtime, nowMs: number): boolean {
  const { shape } = downtime;
  switch (shape.kind) {
    case "fixed":
    case "recurring":
      return downtime.startMs <= nowMs && nowMs < downtime.endMs;
    case "flexible":
    case "triggered":
      return shape.active !== undefined && shape.active.fromMs <= nowMs && nowMs < shape.active.untilMs;
    default:
      return never(shape);
  }
}

/** Nothing can come of it any more. */
function isOver(downtime: Downtime, nowMs: number): boolean {
  const { shape } = downtime;
  if ((shape.kind === "flexible" || shape.kind === "triggered") && shape.active !== undefined)
    return nowMs >= shape.active.untilMs;
  return nowMs >= downtime.endMs;
}

/** [DT2] A flexible downtime that waits for a problem begins with it, even one that was there before. */
function startFlexible(downtime: Downtime, problem: boolean, nowMs: number): Downtime {
  const { shape } = downtime;
  if (shape.kind !== "flexible" || shape.active !== undefined || !problem) return downtime;
  if (nowMs < downtime.startMs || nowMs >= downtime.endMs) return downtime;
  const active: Activation = { fromMs: nowMs, untilMs: nowMs + shape.durationMs };
  return { ...downtime, shape: { ...shape, active } };
}

/**
 * [DT3, DT4] A triggered downtime begins with its trigger and ends with the earlier of the two ends; told of
 * its trigger outside its own window it does not begin.
 *
 * @param trigger the window of the downtime with the id `triggerId`, which is in effect
 */
export function startTriggered(
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

/** What the instant makes of an object's downtimes: begun, ended and dropped ones settled. */
export function settleDowntimes(downtimes: readonly Downtime[], problem: boolean, nowMs: number): readonly Downtime[] {
  if (downtimes.length === 0) return downtimes;
  let changed = false;
  const settled: Downtime[] = [];
  for (const downtime of downtimes) {
    const begun = startFlexible(downtime, problem, nowMs);
    if (isOver(begun, nowMs)) {
      changed = true;
      continue;
    }
    const inEffect = isInEffect(begun, nowMs);
    const after = inEffect === begun.inEffect ? begun : { ...begun, inEffect };
    changed ||= after !== downtime;
    settled.push(after);
  }
  return changed ? settled : downtimes;
}

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
