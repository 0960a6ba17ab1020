import { useBlockedReason } from "../../api/commands/command-availability.ts";
import { useNow, usePreference } from "../../api/context/app-context.tsx";
import type { DowntimeGroup } from "../../api/status/downtime-list.ts";
import { DowntimeProgress } from "../../components/object/downtime-progress.tsx";
import { formatDowntimeKind, formatDowntimeState } from "../../components/object/format-downtime.ts";
import { ObjectLink, ObjectName } from "../../components/object/object-link.tsx";
import { formatShortDateTime, formatWeekday } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { DeleteDowntime } from "./delete-downtime.tsx";
import { partOfWeek, type Week } from "./week.ts";
import "../../components/table/plain-table.css";
import "./downtimes.css";

type DowntimeTableProps = { groups: readonly DowntimeGroup[]; week: Week; aggregator: boolean };

/** Downtimes with their place in a week and their progress. */
export function DowntimeTable({ groups, week, aggregator }: DowntimeTableProps) {
  const zone = usePreference("zone");
  return (
    <table className="plain-table card-table downtime-table">
      <thead>
        <tr>
          <th scope="col">Downtime</th>
          <th scope="col">Objects</th>
          {aggregator && <th scope="col">Realm</th>}
          <th scope="col">Time</th>
          <th scope="col" className="week-column">
            <span className="visually-hidden">Week</span>
            <span className="week-days" aria-hidden="true">
              {week.slice(0, -1).map((dayMs) => (
                <span key={dayMs}>{formatWeekday(dayMs, zone)}</span>
              ))}
            </span>
          </th>
          <th scope="col">
            <span className="visually-hidden">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <DowntimeLine key={group.id} group={group} week={week} aggregator={aggregator} />
        ))}
      </tbody>
    </table>
  );
}

type DowntimeLineProps = { group: DowntimeGroup; week: Week; aggregator: boolean };

function DowntimeLine({ group, week, aggregator }: DowntimeLineProps) {
  const blockedReason = useBlockedReason()(group.realm);
  const { downtime, author, comment, realm } = group;
  return (
    <tr className={group.inEffect ? "is-in-effect" : ""}>
      <th scope="row">
        <span className="downtime-comment">{comment || "Without a comment"}</span>
        <span className="downtime-state">
          {formatDowntimeState(downtime)}
          {author !== "" && `, by ${author}`}
        </span>
        {group.kind !== "recurring" && <span className="downtime-state">{formatDowntimeKind(downtime)}</span>}
      </th>
      <td data-label="Objects">
        <DowntimeObjects group={group} />
      </td>
      {aggregator && <td data-label="Realm">{realm}</td>}
      <td data-label="Time">
        <DowntimeTime group={group} />
      </td>
      <td className="week-column">
        <WeekBar group={group} week={week} />
      </td>
      <td className="downtime-actions">
        <DeleteDowntime group={group} blockedReason={blockedReason} />
      </td>
    </tr>
  );
}

/** Largest number of objects that are named before the rest is folded. */
const namedObjects = 3;

function DowntimeObjects({ group: { parts } }: { group: DowntimeGroup }) {
  const hostsFirst = parts.toSorted((a, b) => Number(a.item.key.kind !== "host") - Number(b.item.key.kind !== "host"));
  const [named, folded] = [hostsFirst.slice(0, namedObjects), hostsFirst.slice(namedObjects)];
  const line = ({ id, item }: DowntimeGroup["parts"][number]) => (
    <li key={`${id}${item.id}`}>
      <ObjectLink realm={item.realm} object={item.key}>
        <ObjectName object={item.key} />
      </ObjectLink>
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
  const zone = usePreference("zone");
  return (
    <>
      <span className="downtime-window">
        {formatShortDateTime(startMs, nowMs, zone)} – {formatShortDateTime(endMs, startMs, zone)}
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

const percent = (fraction: number): string => `${(fraction * 100).toFixed(3)}%`;

function WeekBar({ group, week }: { group: DowntimeGroup; week: Week }) {
  const nowMs = useNow();
  const part = partOfWeek(week, group.startMs, group.endMs);
  const now = partOfWeek(week, nowMs, week.at(-1) ?? 0);
  return (
    <span className="week-bar" aria-hidden="true">
      {week.slice(0, -1).map((dayMs) => (
        <span key={dayMs} className="week-day" />
      ))}
      {part !== undefined && (
        <span
          className={`week-part is-${group.kind} ${group.inEffect ? "is-in-effect" : ""}`}
          style={{ left: percent(part.left), width: percent(part.width) }}
        />
      )}
      {now !== undefined && nowMs >= (week[0] ?? 0) && (
        <span className="week-now" style={{ left: percent(now.left) }} />
      )}
    </span>
  );
}
