import { durationMs } from "@bufbuild/protobuf/wkt";
import { optionalMs, type StatusItem } from "../status/status-item.ts";

/** Times of the last active check against its interval, ms. */
export type CheckTiming = {
  readonly latencyMs: number;
  readonly executionMs: number;
  readonly intervalMs: number;
  readonly late: boolean;
};

/** Time beyond its interval after which a result is overdue, ms; part of the time that a row has. */
const latenessMs = 30_000;
/** Latency up to which each check is on time, ms, and the part of the interval up to which longer ones are. */
const [alwaysOnTimeMs, onTimePart] = [1_000, 0.1] as const;

/**
 * Timing of the last active check. The interval is that between the next check and the time from which it is overdue.
 *
 * @returns undefined for an object without active checks, and before the first one
 */
export function checkTimingOf({ key, row }: Pick<StatusItem, "key" | "row">): CheckTiming | undefined {
  const [nextMs, overdueMs] = [optionalMs(row.nextCheck), optionalMs(row.overdueAt)];
  if (key.kind === "process" || nextMs === undefined || overdueMs === undefined) return undefined;
  const intervalMs = overdueMs - nextMs - latenessMs;
  if (row.latency === undefined || row.executionTime === undefined || intervalMs <= 0) return undefined;
  const latencyMs = durationMs(row.latency);
  const late = latencyMs > Math.max(alwaysOnTimeMs, intervalMs * onTimePart);
  return { latencyMs, executionMs: durationMs(row.executionTime), intervalMs, late };
}
