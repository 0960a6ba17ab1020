import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useNow } from "../../api/context/app-context.tsx";
import type { DowntimeGroup } from "../../api/status/downtime-list.ts";
import { DowntimeProgress } from "../../components/object/downtime-progress.tsx";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { actionColumn, PlainTable } from "../../components/table/plain-table.tsx";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { useShortTime } from "../../components/time/time-text.tsx";
import { DeleteDowntime } from "./delete-downtime.tsx";
import "./downtimes.css";

type DowntimeTableProps = { groups: readonly DowntimeGroup[]; aggregator: boolean };

/** Downtimes, one row for each change, with their progress. */
export function DowntimeTable({ groups, aggregator }: DowntimeTableProps) {
  const blockedReasonOf = useBlockedReason();
  // A realm that cannot be reached does not keep the downtimes of the others.
  const blockedReasonOfAll = ({ realms }: DowntimeGroup): string | undefined => {
    const reasons = realms.map(blockedReasonOf);
    return reasons.includes(undefined) ? undefined : reasons[0];
  };
  return (
    <PlainTable
      className="card card-table downtime-table"
      rows={groups}
      keyOf={({ id }) => id}
      lookOf={({ inEffect }) => ({ className: inEffect ? "is-in-effect" : "" })}
      columns={[
        { title: "Downtime", isName: true, cell: (group) => <DowntimeName group={group} /> },
        { title: "Objects", className: "downtime-objects", cell: (group) => <DowntimeObjects group={group} /> },
        aggregator && { title: "Realms", cell: ({ realms }) => realms.join(", ") },
        { title: "Time", cell: (group) => <DowntimeTime group={group} /> },
        {
          ...actionColumn,
          className: "downtime-actions",
          cell: (group) => <DeleteDowntime group={group} blockedReason={blockedReasonOfAll(group)} />,
        },
      ]}
    />
  );
}

function DowntimeName({ group: { downtime, author, comment } }: { group: DowntimeGroup }) {
  return (
    <>
      <span className="downtime-comment">{comment || "Without a comment"}</span>
      <span className="downtime-state">
        {formatDowntimeState(downtime)}
        {author !== "" && `, by ${author}`}
      </span>
      <span className="downtime-state">{formatDowntimeKind(downtime)}</span>
    </>
  );
}

/** Largest number of objects that are named before the rest is folded. */
const namedObjects = 3;

function DowntimeObjects({ group: { parts } }: { group: DowntimeGroup }) {
  const hostsFirst = parts.toSorted((a, b) => Number(a.item.key.kind !== "host") - Number(b.item.key.kind !== "host"));
  const [named, folded] = [hostsFirst.slice(0, namedObjects), hostsFirst.slice(namedObjects)];
  const line = ({ id, item }: DowntimeGroup["parts"][number]) => (
    <li key={`${id}${item.id}`}>
      <ObjectLink realm={item.realm} object={item.key} />
    </li>
  );
  return (
    <>
      <ul>{named.map(line)}</ul>
      {folded.length > 0 && (
        <details>
          <summary>and {folded.length} more</summary>
          <ul>{folded.map(line)}</ul>
        </details>
      )}
    </>
  );
}

/** Window of a downtime, and the elapsed part of one that is in effect. */
function DowntimeTime({ group: { startMs, endMs, inEffect, downtime } }: { group: DowntimeGroup }) {
  const nowMs = useNow();
  const shortTime = useShortTime();
  return (
    <>
      <span className="downtime-window">
        {shortTime(startMs)} – {shortTime(endMs, startMs)}
      </span>
      {inEffect ? (
        <span className="downtime-progress">
          <DowntimeProgress downtime={downtime} />
        </span>
      ) : (
        <span className="downtime-state">{startMs > nowMs && `begins in ${formatTimeSpan(startMs - nowMs)}`}</span>
      )}
    </>
  );
}
