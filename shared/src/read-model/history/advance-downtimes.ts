import type { Activation, Downtime } from "../../model/downtime.ts";
import { knownWindow } from "../../model/downtime.ts";
import { never } from "../../model/never.ts";

/**
 * Advances an object's downtimes to a time: starts and ends them, and removes those that are over. The engine and the
 * replay of history use this one function, so both give the same result for any time.
 *
 * @param problem true when the object has a problem at that time
 * @returns the same list when nothing changed
 */
export function advanceDowntimes(downtimes: readonly Downtime[], problem: boolean, nowMs: number): readonly Downtime[] {
  if (downtimes.length === 0) return downtimes;
  let changed = false;
  const advanced: Downtime[] = [];
  for (const downtime of downtimes) {
    const started = startFlexible(downtime, problem, nowMs);
    if (isOver(started, nowMs)) {
      changed = true;
      continue;
    }
    const inEffect = isInEffect(started, nowMs);
    const after = inEffect === started.inEffect ? started : { ...started, inEffect };
    changed ||= after !== downtime;
    advanced.push(after);
  }
  return changed ? advanced : downtimes;
}

/** [DT1-DT4] True when the downtime is in effect. The end is exclusive. */
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

/** True when the downtime can have no effect any more. */
const isOver = (downtime: Downtime, nowMs: number): boolean => nowMs >= lastEndMs(downtime);

/** Known end of a downtime, Unix ms: one that waits for its problem or trigger ends with its window. */
export const lastEndMs = (downtime: Downtime): number => knownWindow(downtime).untilMs;

/** [DT2] Starts a waiting flexible downtime when the object has a problem, even one that began before the window. */
function startFlexible(downtime: Downtime, problem: boolean, nowMs: number): Downtime {
  const { shape } = downtime;
  if (shape.kind !== "flexible" || shape.active !== undefined || !problem) return downtime;
  if (nowMs < downtime.startMs || nowMs >= downtime.endMs) return downtime;
  const active: Activation = { fromMs: nowMs, untilMs: nowMs + shape.durationMs };
  return { ...downtime, shape: { ...shape, active } };
}
