import { useMemo } from "react";
import { usePastView } from "../context/past-view.ts";
import { useOverview } from "./overview.ts";
import { type IsStale, isCurrent, staleCheckOf } from "./realm-freshness.ts";

const isNeverStale: IsStale = () => false;

/** Check of rows for being last known only. In a view of the past no row is: the freshness is that of now. */
export function useIsStale(): IsStale {
  const { data } = useOverview();
  const past = usePastView() !== undefined;
  const realms = data?.realms;
  return useMemo(() => (past ? isNeverStale : staleCheckOf(realms ?? [])), [realms, past]);
}

/** True when the rows of all realms are current; an agent has no other realms. False before the first response. */
export function useAllCurrent(): boolean {
  const { data } = useOverview();
  return data?.realms.every(isCurrent) ?? false;
}
