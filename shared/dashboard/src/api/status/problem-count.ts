import { useMemo } from "react";
import { countProblems, type ProblemCount } from "./count-problems.ts";
import { isCurrent, staleCheckOf } from "./realm-freshness.ts";
import { useStatusSnapshot } from "./status-feed.ts";

/** Counts the unhandled problems of all realms: of the present, also in a view of the past. */
export function useProblemCount(): ProblemCount {
  const { data } = useStatusSnapshot("problems");
  return useMemo(() => {
    const realms = data?.realms ?? [];
    return countProblems(
      data?.items.values() ?? [],
      staleCheckOf(realms),
      data !== undefined && realms.every(isCurrent),
    );
  }, [data]);
}
