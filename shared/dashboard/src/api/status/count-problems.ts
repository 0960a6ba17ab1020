import type { IsStale } from "./realm-freshness.ts";
import type { StatusItem } from "./status-item.ts";
import { type StatusName, severityRank } from "./status-name.ts";

export type ProblemCount = {
  /** Unhandled problems of current realms. */
  readonly current: number;
  /** Unhandled problems of the other realms, as last known. */
  readonly stale: number;
  /** Most severe status of these problems; without any `ok`, or `pending` while a realm is not current. */
  readonly worst: StatusName;
};

/** Counts the unhandled problems. @param allCurrent true when every realm is current */
export function countProblems(items: Iterable<StatusItem>, isStale: IsStale, allCurrent: boolean): ProblemCount {
  const count = { current: 0, stale: 0, worst: (allCurrent ? "ok" : "pending") as StatusName };
  for (const item of items) {
    if (item.handled) continue;
    if (isStale(item)) count.stale++;
    else count.current++;
    if (severityRank(item.statusName) > severityRank(count.worst)) count.worst = item.statusName;
  }
  return count;
}
