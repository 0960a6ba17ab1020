/** Value at a time, Unix ms. */
export type PlotPoint = { readonly atMs: number; readonly value: number };

type PointSummary = { readonly last: number; readonly min: number; readonly max: number };

/**
 * Last, lowest and highest value; undefined without points. `latestValue`, where it is known, counts as the last one: a
 * point may be the mean of several values.
 */
export function summarizePoints(points: readonly PlotPoint[], latestValue?: number): PointSummary | undefined {
  const end = points.at(-1);
  if (end === undefined) return undefined;
  const last = latestValue ?? end.value;
  let [min, max] = [last, last];
  for (const { value } of points) {
    min = Math.min(min, value);
    max = Math.max(max, value);
  }
  return { last, min, max };
}

/** Parts of a line between gaps: points further apart than `gapMs` are not joined. */
export function lineSegments(points: readonly PlotPoint[], gapMs: number): readonly (readonly PlotPoint[])[] {
  const segments: PlotPoint[][] = [];
  let before: PlotPoint | undefined;
  for (const point of points) {
    if (before === undefined || point.atMs - before.atMs > gapMs) segments.push([]);
    segments.at(-1)?.push(point);
    before = point;
  }
  return segments;
}

/** Distance above which points count as separate, ms: three times the usual one, and at least two steps. */
export function usualGapMs(points: readonly PlotPoint[], stepMs: number): number {
  const distances = points.slice(1).map(({ atMs }, at) => atMs - (points[at]?.atMs ?? atMs));
  const median = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 0;
  return Math.max(median * 3, stepMs * 2.5);
}

/** Index of the point nearest to a time; -1 without points. Points are sorted by time. */
export function nearestPoint(points: readonly PlotPoint[], atMs: number): number {
  let [low, high] = [0, points.length - 1];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.atMs ?? 0) <= atMs) low = middle;
    else high = middle;
  }
  const [left, right] = [points[low], points[high]];
  if (left === undefined || right === undefined) return -1;
  return Math.abs(left.atMs - atMs) <= Math.abs(right.atMs - atMs) ? low : high;
}
