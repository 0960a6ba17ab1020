import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { StatusBadge } from "./status-badge.tsx";

/** Status of an object; drawn as last known while its realm is not current. */
export function ItemStatus({ item, large = false }: { item: StatusItem; large?: boolean }) {
  const isStale = useIsStale();
  return <StatusBadge status={item.statusName} handled={item.handled} lastKnown={isStale(item)} large={large} />;
}
