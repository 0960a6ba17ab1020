import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { StatusIcon } from "../../components/status/status-icon.tsx";
import { type ListSearch, selectedStatuses } from "./list-search.ts";
import { severityCounts, severityText } from "./severity-counts.ts";

type SeverityChipsProps = {
  /** Counts of the rows that match all conditions but the statuses. */
  summary: StatusSummary | undefined;
  search: ListSearch;
  onChange: (part: ListSearch) => void;
};

/** Number of objects per status, current and last known; pressing one filters the list by the status. */
export function SeverityChips({ summary, search, onChange }: SeverityChipsProps) {
  const selected = selectedStatuses(search);
  const toggle = (status: Status): void => {
    const after = selected.includes(status) ? selected.filter((other) => other !== status) : [...selected, status];
    onChange({ status: after.join(",") });
  };
  return (
    <fieldset className="severity-chips">
      <legend className="visually-hidden">Filter by state</legend>
      {severityCounts(summary, selected).map((count) => {
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
