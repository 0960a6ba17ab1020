import type { Status } from "@realmwatch/shared/model/status";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { selectedStatuses } from "./list-search.ts";
import { severityCounts, severityText } from "./severity-counts.ts";
import type { ObjectRows } from "./use-object-rows.ts";

/** Number of objects per status, current and last known; pressing one filters the list by the status. */
export function SeverityChips({ rows: { chips, search, change } }: { rows: ObjectRows }) {
  const selected = selectedStatuses(search);
  const toggle = (status: Status): void => {
    const after = selected.includes(status) ? selected.filter((other) => other !== status) : [...selected, status];
    change({ status: after.join(",") });
  };
  return (
    <fieldset className="wrapped severity-chips">
      <legend className="visually-hidden">Filter by state</legend>
      {severityCounts(chips, selected).map((count) => {
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
