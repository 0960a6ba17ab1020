import type { Activation, Downtime } from "../../model/downtime.ts";
import { never } from "../../model/never.ts";

/**
 * What the instant makes of an object's downtimes: begun, ended and dropped ones settled. The engine and whoever
 * folds history ask the same rule, so that both say the same of any instant.
 *
 * @param problem whether the object has a problem at the instant
 * @returns the same list where nothing changed
 */
export function advanceDowntimes(downtimes: readonly Downtime[], problem: boolean, nowMs: number): readonly Downtime[] {
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
const isOver = (downtime: Downtime, nowMs: number): boolean => nowMs >= lastEndMs(downtime);

/** When the downtime is over, as far as is known: one that waits for its problem or trigger ends with its window. */
export const lastEndMs = ({ shape, endMs }: Downtime): number =>
  (shape.kind === "flexible" || shape.kind === "triggered") && shape.active !== undefined
    ? shape.active.untilMs
    : endMs;

/** [DT2] A flexible downtime that waits for a problem begins with it, even one that was there before. */
function startFlexible(downtime: Downtime, problem: boolean, nowMs: number): Downtime {
  const { shape } = downtime;
  if (shape.kind !== "flexible" || shape.active !== undefined || !problem) return downtime;
  if (nowMs < downtime.startMs || nowMs >= downtime.endMs) return downtime;
  const active: Activation = { fromMs: nowMs, untilMs: nowMs + shape.durationMs };
  return { ...downtime, shape: { ...shape, active } };
}
