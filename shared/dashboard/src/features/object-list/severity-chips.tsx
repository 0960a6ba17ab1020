import type { StatusItem } from "../../api/status/status-item.ts";
import { type StatusName, statusNames } from "../../api/status/status-name.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { type ListSearch, selectedStatuses } from "./list-search.ts";

type SeverityChipsProps = { items: Iterable<StatusItem>; search: ListSearch; onChange: (part: ListSearch) => void };

/** Number of objects per status; pressing one filters the list by it. */
export function SeverityChips({ items, search, onChange }: SeverityChipsProps) {
  const counts = new Map<StatusName, number>();
  for (const { statusName } of items) counts.set(statusName, (counts.get(statusName) ?? 0) + 1);
  const selected = selectedStatuses(search);
  const shown = statusNames.filter((status) => counts.has(status) || selected.includes(status));
  const toggle = (status: StatusName): void => {
    const after = selected.includes(status) ? selected.filter((other) => other !== status) : [...selected, status];
    onChange({ status: after.join(",") });
  };
  return (
    <fieldset className="severity-chips">
      <legend className="visually-hidden">Filter by state</legend>
      {shown.map((status) => (
        <button
          key={status}
          type="button"
          className="severity-chip"
          data-status={status}
          aria-pressed={selected.includes(status)}
          onClick={() => toggle(status)}
        >
          <StatusIcon status={status} /> <strong>{counts.get(status) ?? 0}</strong> {status}
        </button>
      ))}
    </fieldset>
  );
}
