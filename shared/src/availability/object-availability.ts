import { type Interval, intersect, lengthOf, subtract } from "../calendar/interval.ts";
import type { Status } from "../model/status.ts";
import type { StatusPiece } from "./status-pieces.ts";

/** Past of one object in a range. */
export type ObjectTimeline = {
  readonly pieces: readonly StatusPiece[];
  /** Times with a downtime in effect, of the object itself or of its host. */
  readonly downtimes: readonly Interval[];
};

/** Time that an object spent in each state, ms. */
export type ObjectTimes = {
  /** `none`: without evidence. */
  readonly byStatus: ReadonlyMap<Status | "none", number>;
  readonly downtimeMs: number;
};

type MeasureOptions = {
  /** Times that are measured: the range within the period. */
  readonly measured: readonly Interval[];
  readonly evidence: readonly Interval[];
  readonly excludeDowntimes: boolean;
};

/**
 * [SL1] Adds up the time of an object by hard status. A time in downtime counts as downtime, and with
 * `excludeDowntimes` as nothing else; a time without evidence has no status.
 */
export function measureObject({ pieces, downtimes }: ObjectTimeline, options: MeasureOptions): ObjectTimes {
  const { measured, evidence, excludeDowntimes } = options;
  const counted = excludeDowntimes ? subtract(measured, downtimes) : measured;
  const byStatus = new Map<Status | "none", number>();
  let known = 0;
  for (const { fromMs, toMs, status } of intersect(pieces, intersect(counted, evidence))) {
    if (status === undefined) continue;
    byStatus.set(status, (byStatus.get(status) ?? 0) + toMs - fromMs);
    known += toMs - fromMs;
  }
  const unknown = lengthOf(counted) - known;
  if (unknown > 0) byStatus.set("none", unknown);
  return { byStatus, downtimeMs: lengthOf(intersect(measured, downtimes)) };
}
