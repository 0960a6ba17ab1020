import { statusNames } from "@realmwatch/shared/view/row-status";
import { formatObjectName } from "../../api/status/object-key.ts";
import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";

/** Maximum number of names displayed; the rest is a count. */
const shownNames = 10;

/** Targets of a command: number of objects per realm, and the first names. */
export function TargetList({ targets }: { targets: readonly StatusItem[] }) {
  const isStale = useIsStale();
  const perRealm = new Map<string, number>();
  for (const { realm } of targets) perRealm.set(realm, (perRealm.get(realm) ?? 0) + 1);
  const realms = [...perRealm].filter(([realm]) => realm !== "").map(([realm, count]) => `${realm}: ${count}`);
  return (
    <div className="target-list">
      {targets.length > 1 && (
        <p className="muted">
          {targets.length} objects{realms.length > 0 && ` (${realms.join(", ")})`}:{" "}
          {statusNames
            .map((status) => ({ status, count: targets.filter(({ statusName }) => statusName === status).length }))
            .filter(({ count }) => count > 0)
            .map(({ status, count }) => `${count} ${status}`)
            .join(", ")}
        </p>
      )}
      <ul>
        {targets.slice(0, shownNames).map((item) => (
          <li key={item.id} data-status={item.statusName} className={isStale(item) ? "is-last-known" : ""}>
            <StatusIcon status={item.statusName} hollow={item.handled || isStale(item)} /> {formatObjectName(item.key)}
            {item.realm !== "" && <span className="muted">{item.realm}</span>}
          </li>
        ))}
        {targets.length > shownNames && <li className="muted">and {targets.length - shownNames} more</li>}
      </ul>
    </div>
  );
}
