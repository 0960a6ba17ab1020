import type { StatusItem } from "../../api/status/status-item.ts";
import { type StatusName, statusNames } from "../../api/status/status-name.ts";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { type ListSearch, selectedStatuses } from "./list-search.ts";

type SeverityChipsProps = { items: Iterable<StatusItem>; search: ListSearch; onChange: (part: ListSearch) => void };

/** How many of each status; pressing one leaves only those. */
export function SeverityChips({ items, search, onChange }: SeverityChipsProps) {
  const counts = new Map<StatusName, number>();
  for (const { statusName } of items) counts.set(statusName, (counts.get(statusName) ?? 0) + 1);
  const wanted = selectedStatuses(search);
  const shown = statusNames.filter((status) => counts.has(status) || wanted.includes(status));
  const toggle = (status: StatusName): void => {
    const after = wanted.includes(status) ? wanted.filter((other) => other !== status) : [...wanted, status];
    onChange({ status: after.join(",") });
  };
  return (
    <fieldset className="severity-chips">
      <legend className="visually-hidden">Only these states</legend>
      {shown.map((status) => (
        <button
          key={status}
          type="button"
          className="severity-chip"
          data-status={status}
          aria-pressed={wanted.includes(status)}
          onClick={() => toggle(status)}
        >
          <StatusIcon status={status} /> <strong>{counts.get(status) ?? 0}</strong> {status}
        </button>
      ))}
    </fieldset>
  );
}
