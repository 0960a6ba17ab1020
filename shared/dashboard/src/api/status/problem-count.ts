import { useStatusSnapshot } from "./status-feed.ts";
import { type StatusName, severityRank } from "./status-name.ts";

export type ProblemCount = {
  /** Unhandled problems of reachable realms. */
  readonly current: number;
  /** Unhandled problems of unreachable realms, as of the time when the realm was last seen. */
  readonly stale: number;
  readonly worst: StatusName;
};

/** Counts the unhandled problems of all realms. */
export function useProblemCount(): ProblemCount {
  const { data } = useStatusSnapshot("problems");
  const unreachable = new Set(data?.realms.filter(({ reachable }) => reachable === false).map(({ name }) => name));
  const count = { current: 0, stale: 0, worst: "ok" as StatusName };
  for (const item of data?.items.values() ?? []) {
    if (item.handled) continue;
    if (unreachable.has(item.realm)) count.stale++;
    else count.current++;
    if (severityRank(item.statusName) > severityRank(count.worst)) count.worst = item.statusName;
  }
  return count;
}
