import { useMemo } from "react";
import { countProblems, type ProblemCount } from "./count-problems.ts";
import { useOverview } from "./overview.ts";
import { isCurrent } from "./realm-freshness.ts";

/** Counts the unhandled problems of all realms: of the present, also in a view of the past. */
export function useProblemCount(): ProblemCount {
  const { data } = useOverview();
  return useMemo(() => countProblems(data?.unhandled, data?.realms.every(isCurrent) ?? false), [data]);
}
