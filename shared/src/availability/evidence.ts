import { type Interval, subtract, union } from "../calendar/interval.ts";

/** Times for which an agent's history is complete. */
export type HistoryCoverage = {
  /** Beginning of the history, Unix ms; undefined for an empty history. */
  readonly sinceMs: number | undefined;
  /** Times without a running agent, or whose records are lost, in any order. */
  readonly gaps: readonly Interval[];
  /** Times at which the configuration was replaced, ascending, Unix ms. */
  readonly configuredAtMs: readonly number[];
};

/** [SL4] Parts of a range for which history is evidence: after its beginning, without gaps, up to now. */
export function evidenceOf({ sinceMs, gaps }: HistoryCoverage, range: Interval, nowMs: number): readonly Interval[] {
  if (sinceMs === undefined) return [];
  const covered = union([{ fromMs: Math.max(range.fromMs, sinceMs), toMs: Math.min(range.toMs, nowMs) }]);
  return subtract(covered, union(gaps));
}
