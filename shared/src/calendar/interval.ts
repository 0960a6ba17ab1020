/** Time span [fromMs, toMs), Unix ms. Lists of intervals are sorted and disjoint, and none is empty. */
export type Interval = { readonly fromMs: number; readonly toMs: number };

/** Total length of intervals, ms. */
export const lengthOf = (intervals: readonly Interval[]): number =>
  intervals.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);

/** Parts of the pieces that lie in one of the intervals. Other fields of a piece are kept. */
export function intersect<T extends Interval>(pieces: readonly T[], intervals: readonly Interval[]): T[] {
  const parts: T[] = [];
  let first = 0;
  for (const piece of pieces) {
    while (first < intervals.length && (intervals[first] as Interval).toMs <= piece.fromMs) first += 1;
    for (let at = first; at < intervals.length; at += 1) {
      const interval = intervals[at] as Interval;
      if (interval.fromMs >= piece.toMs) break;
      const [fromMs, toMs] = [Math.max(piece.fromMs, interval.fromMs), Math.min(piece.toMs, interval.toMs)];
      parts.push(fromMs === piece.fromMs && toMs === piece.toMs ? piece : { ...piece, fromMs, toMs });
    }
  }
  return parts;
}

/** Parts of the intervals that lie in no hole. */
export function subtract(intervals: readonly Interval[], holes: readonly Interval[]): readonly Interval[] {
  if (holes.length === 0) return intervals;
  const parts: Interval[] = [];
  let first = 0;
  for (const { fromMs, toMs } of intervals) {
    while (first < holes.length && (holes[first] as Interval).toMs <= fromMs) first += 1;
    let startMs = fromMs;
    for (let at = first; at < holes.length && (holes[at] as Interval).fromMs < toMs; at += 1) {
      const hole = holes[at] as Interval;
      if (hole.fromMs > startMs) parts.push({ fromMs: startMs, toMs: hole.fromMs });
      startMs = Math.max(startMs, hole.toMs);
    }
    if (startMs < toMs) parts.push({ fromMs: startMs, toMs });
  }
  return parts;
}

/** Intervals in any order, also overlapping and empty ones, as a sorted and disjoint list. */
export function union(intervals: readonly Interval[]): readonly Interval[] {
  const sorted = intervals.filter(({ fromMs, toMs }) => fromMs < toMs).sort((a, b) => a.fromMs - b.fromMs);
  const joined: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else joined.push({ fromMs, toMs });
  }
  return joined;
}
