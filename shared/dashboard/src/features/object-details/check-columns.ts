import type { SeenCheck } from "../../api/checks/seen-checks.ts";

/** Column of a check: its left edge and width, and the heights of its two parts, the latency below, px. */
type CheckColumn = {
  readonly check: SeenCheck;
  readonly x: number;
  readonly columnWidth: number;
  readonly latency: number;
  readonly execution: number;
};

/** Widths of a column, px. */
const widths = { least: 2, most: 10 } as const;
/** Distance between the columns of successive checks, px. */
const spacing = 1;

/**
 * Columns on a common scale, placed by the time at which the checks were due, so that a time without seen checks is a
 * gap. The highest column has the whole height, and each part at least 1 px.
 */
export function checkColumns(
  checks: readonly SeenCheck[],
  { width, height }: { readonly width: number; readonly height: number },
): readonly CheckColumn[] {
  const times = checks.map(({ dueAtMs }) => dueAtMs);
  const [fromMs = 0, toMs = 0] = [times[0], times.at(-1)];
  const greatestMs = Math.max(1, ...checks.map(({ latencyMs, executionMs }) => latencyMs + executionMs));
  const nearestMs = Math.min(...times.slice(1).map((atMs, at) => atMs - (times[at] ?? atMs)));
  const scale = (columnWidth: number): number => (width - columnWidth) / Math.max(1, toMs - fromMs);
  const columnWidth = Math.max(widths.least, Math.min(widths.most, nearestMs * scale(widths.most) - spacing));
  const sizeOf = (ms: number): number => Math.max(1, (ms / greatestMs) * (height - 2));
  return checks.map((check) => ({
    check,
    x: (check.dueAtMs - fromMs) * scale(columnWidth),
    columnWidth,
    latency: sizeOf(check.latencyMs),
    execution: sizeOf(check.executionMs),
  }));
}
