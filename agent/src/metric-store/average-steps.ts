import type { MetricPoint } from "./metric-point.ts";

/**
 * Reduces points, which are sorted by time, to at most one for each step: the average of its points, at the beginning of
 * the step. The only point of a step keeps its own time.
 *
 * @param stepMs length of a step, ms; steps begin at multiples of it after `fromMs`
 */
export function averageSteps(
  points: readonly MetricPoint[],
  { fromMs, stepMs }: { readonly fromMs: number; readonly stepMs: number },
): MetricPoint[] {
  const averages: MetricPoint[] = [];
  for (let first = 0; first < points.length; ) {
    const point = points[first] as MetricPoint;
    const step = Math.floor((point.atMs - fromMs) / stepMs);
    const endMs = fromMs + (step + 1) * stepMs;
    let sum = 0;
    let next = first;
    for (; next < points.length && (points[next] as MetricPoint).atMs < endMs; next += 1)
      sum += (points[next] as MetricPoint).value;
    const count = next - first;
    averages.push(count === 1 ? point : { atMs: fromMs + step * stepMs, value: sum / count });
    first = next;
  }
  return averages;
}
