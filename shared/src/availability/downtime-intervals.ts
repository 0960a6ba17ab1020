import type { Interval } from "../calendar/interval.ts";
import { union } from "../calendar/interval.ts";
import type { DowntimeEdge, ObjectRecords, PresentState } from "./object-records.ts";

/**
 * [SL3] Intervals of a range in which a downtime of the object itself was in effect.
 *
 * Overlapping downtimes are recorded as one: a start with the first, an end with the last. The deletion of one that is in
 * effect ends the time only if no other downtime is in effect, which the next record shows: another start, or not.
 */
export function downtimeIntervals(
  { edges, edgeBefore, edgeAfter }: ObjectRecords,
  { range, present }: { readonly range: Interval; readonly present: Pick<PresentState, "downtimeSinceMs"> },
): readonly Interval[] {
  const { downtimeSinceMs = Number.POSITIVE_INFINITY } = present;
  const inDowntime = present.downtimeSinceMs !== undefined;
  /** True when a downtime is in effect before `next`. */
  const continues = (next: DowntimeEdge | undefined): boolean =>
    next === undefined ? inDowntime : next.kind !== "start";
  const isInEffectAfter = ({ kind }: DowntimeEdge, next: DowntimeEdge | undefined): boolean =>
    kind === "start" || (kind === "cancelled" && continues(next));

  const next = edges[0] ?? edgeAfter;
  // The present is ahead of the records: the start of a downtime that began in the range may not be written yet.
  const isRecorded = next !== undefined || downtimeSinceMs <= range.fromMs;
  const before = edgeBefore === undefined ? isRecorded && continues(next) : isInEffectAfter(edgeBefore, next);
  /** The start of the present interval; undefined outside of downtimes. */
  let open = before ? { fromMs: range.fromMs, untilMs: edgeBefore?.untilMs ?? Number.POSITIVE_INFINITY } : undefined;
  const found: Interval[] = [];
  edges.forEach((edge, at) => {
    if (open !== undefined && edge.kind === "start") {
      // An object in downtime was removed from the configuration and added again, so its end has no record.
      found.push({ fromMs: open.fromMs, toMs: Math.min(open.untilMs, edge.atMs) });
      open = undefined;
    }
    const inEffect = isInEffectAfter(edge, edges[at + 1] ?? edgeAfter);
    if (inEffect) open ??= { fromMs: edge.atMs, untilMs: edge.untilMs };
    else if (open !== undefined) {
      found.push({ fromMs: open.fromMs, toMs: edge.atMs });
      open = undefined;
    }
  });
  if (open !== undefined) {
    const isEndMissing = edgeAfter === undefined ? !inDowntime : edgeAfter.kind === "start";
    found.push({ fromMs: open.fromMs, toMs: isEndMissing ? Math.min(open.untilMs, range.toMs) : range.toMs });
  }
  return union(
    found.map(({ fromMs, toMs }) => ({
      fromMs: Math.max(fromMs, range.fromMs),
      toMs: Math.min(toMs, range.toMs),
    })),
  );
}
