import type { Status } from "../model/status.ts";
import type { ObjectTimes } from "./object-availability.ts";

/** Time up and down of all objects of a service level objective together, ms. */
export type UpDown = { readonly upMs: number; readonly downMs: number };

/** [SL6] Sums time up and down. Pending time and time without evidence are neither. */
export function sumUpDown(objects: readonly ObjectTimes[], downStatuses: readonly Status[]): UpDown {
  const down = new Set<string>(downStatuses);
  let [upMs, downMs] = [0, 0];
  for (const { byStatus } of objects)
    for (const [status, ms] of byStatus) {
      if (status === "pending" || status === "none") continue;
      if (down.has(status)) downMs += ms;
      else upMs += ms;
    }
  return { upMs, downMs };
}

/** [SL6] Share of the time that was up, percent; undefined when no time counts. */
export const achievedPercent = ({ upMs, downMs }: UpDown): number | undefined =>
  upMs + downMs === 0 ? undefined : (upMs / (upMs + downMs)) * 100;

/**
 * [SL7] Unused share of the error budget: 1 when unused, 0 when used up, negative when exceeded. A target of 100 has no
 * budget: -1 with any time down. Undefined when no time counts.
 */
export function budgetLeft({ upMs, downMs }: UpDown, target: number): number | undefined {
  if (upMs + downMs === 0) return undefined;
  if (downMs === 0) return 1;
  const budgetMs = ((upMs + downMs) * (100 - target)) / 100;
  return budgetMs === 0 ? -1 : 1 - downMs / budgetMs;
}

/**
 * [SL8] Speed at which the error budget is used: at 1 it lasts exactly as long as it should. Infinite for a target of 100
 * with any time down, undefined when no time counts.
 */
export function burnRateOf({ upMs, downMs }: UpDown, target: number): number | undefined {
  if (upMs + downMs === 0) return undefined;
  if (downMs === 0) return 0;
  return downMs / (upMs + downMs) / ((100 - target) / 100);
}

/**
 * [SL13] Share of the measured time of the objects that is known to be up, down or excluded downtime, percent. Pending
 * time is not known. 0 when no time was measured.
 */
export function evidencePercent(objects: readonly ObjectTimes[], excludeDowntimes: boolean): number {
  let [knownMs, allMs] = [0, 0];
  for (const { byStatus, downtimeMs } of objects) {
    const excludedMs = excludeDowntimes ? downtimeMs : 0;
    knownMs += excludedMs;
    allMs += excludedMs;
    for (const [status, ms] of byStatus) {
      allMs += ms;
      if (status !== "pending" && status !== "none") knownMs += ms;
    }
  }
  return allMs === 0 ? 0 : (knownMs / allMs) * 100;
}
