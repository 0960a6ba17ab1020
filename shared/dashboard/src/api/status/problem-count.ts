import { useStatusSnapshot } from "./status-feed.ts";
import { type StatusName, severityOf } from "./status-name.ts";

export type ProblemCount = {
  /** Unhandled problems of realms that are heard of. */
  readonly current: number;
  /** Unhandled problems as they were when their realm went silent. */
  readonly stale: number;
  readonly worst: StatusName;
};

export function useProblemCount(): ProblemCount {
  const { data } = useStatusSnapshot("problems");
  const silent = new Set(data?.realms.filter(({ reachable }) => reachable === false).map(({ name }) => name));
  const count = { current: 0, stale: 0, worst: "ok" as StatusName };
  for (const item of data?.items.values() ?? []) {
    if (item.handled) continue;
    if (silent.has(item.realm)) count.stale++;
    else count.current++;
    if (severityOf(item.statusName) > severityOf(count.worst)) count.worst = item.statusName;
  }
  return count;
}
