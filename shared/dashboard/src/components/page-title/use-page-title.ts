import { useEffect } from "react";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useProblemCount } from "../../api/status/problem-count.ts";
import { drawBadge } from "./tab-badge.ts";

/** Sets the title of the browser tab, `(3) Problems – dc-1`, and draws the count into its icon. */
export function usePageTitle(page: string): void {
  const { info } = useServerInfo();
  const { current, worst } = useProblemCount();
  const where = info === undefined ? "Realmwatch" : info.aggregator ? "all realms" : info.realm;
  useEffect(() => {
    document.title = `${current > 0 ? `(${current}) ` : ""}${page} – ${where}`;
  }, [page, where, current]);
  useEffect(() => drawBadge(document, current, worst), [current, worst]);
}
