import { useSnapshot } from "../api/status-feed.ts";
import { loudnessOf, type StatusWord } from "../status/status-word.ts";

export type ProblemCount = {
  /** Unhandled problems of realms that are heard of. */
  readonly current: number;
  /** Unhandled problems as they were when their realm went silent. */
  readonly stale: number;
  readonly worst: StatusWord;
};

export function useProblemCount(): ProblemCount {
  const { data } = useSnapshot("problems");
  const silent = new Set(data?.realms.filter(({ reachable }) => reachable === false).map(({ name }) => name));
  const count = { current: 0, stale: 0, worst: "ok" as StatusWord };
  for (const item of data?.items.values() ?? []) {
    if (item.handled) continue;
    if (silent.has(item.realm)) count.stale++;
    else count.current++;
    if (loudnessOf(item.word) > loudnessOf(count.worst)) count.worst = item.word;
  }
  return count;
}
