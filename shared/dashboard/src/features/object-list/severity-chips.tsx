import { useIsStale } from "../../api/status/stale-rows.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import type { StatusName } from "../../api/status/status-name.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { type ListSearch, selectedStatuses } from "./list-search.ts";
import { countSeverities, severityText } from "./severity-counts.ts";

type SeverityChipsProps = { items: Iterable<StatusItem>; search: ListSearch; onChange: (part: ListSearch) => void };

/** Number of objects per status, current and last known; pressing one filters the list by the status. */
export function SeverityChips({ items, search, onChange }: SeverityChipsProps) {
  const isStale = useIsStale();
  const selected = selectedStatuses(search);
  const toggle = (status: StatusName): void => {
    const after = selected.includes(status) ? selected.filter((other) => other !== status) : [...selected, status];
    onChange({ status: after.join(",") });
  };
  return (
    <fieldset className="severity-chips">
      <legend className="visually-hidden">Filter by state</legend>
      {countSeverities(items, isStale, selected).map((count) => {
        const { status, current, lastKnown } = count;
        const onlyLastKnown = current === 0 && lastKnown > 0;
        return (
          <button
            key={status}
            type="button"
            className={`severity-chip ${onlyLastKnown ? "is-last-known" : ""}`}
            data-status={status}
            aria-pressed={selected.includes(status)}
            onClick={() => toggle(status)}
          >
            <StatusIcon status={status} hollow={onlyLastKnown} /> <strong>{current}</strong> {severityText(count)}
          </button>
        );
      })}
    </fieldset>
  );
}
