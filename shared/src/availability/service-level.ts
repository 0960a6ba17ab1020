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

/** [SL6] Share of the time that was up, percent; 100 when no time counts. */
export const achievedPercent = ({ upMs, downMs }: UpDown): number =>
  downMs === 0 ? 100 : (upMs / (upMs + downMs)) * 100;

/**
 * [SL7] Unused share of the error budget: 1 when unused, 0 when used up, negative when exceeded. A target of 100 has no
 * budget: -1 with any time down.
 */
export function budgetLeft({ upMs, downMs }: UpDown, target: number): number {
  if (downMs === 0) return 1;
  const budgetMs = ((upMs + downMs) * (100 - target)) / 100;
  return budgetMs === 0 ? -1 : 1 - downMs / budgetMs;
}

/**
 * [SL8] Speed at which the error budget is used: at 1 it lasts exactly as long as it should. Infinite for a target of 100
 * with any time down.
 */
export function burnRateOf({ upMs, downMs }: UpDown, target: number): number {
  if (downMs === 0) return 0;
  return downMs / (upMs + downMs) / ((100 - target) / 100);
}
