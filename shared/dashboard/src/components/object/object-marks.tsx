import { flappingCommentId } from "@realmwatch/shared/model/annotation";
import { refOf } from "@realmwatch/shared/model/object-key";
import { personOf, personText } from "@realmwatch/shared/view/person";
import type { ReactNode } from "react";
import { useNow } from "../../api/context/app-context.tsx";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { MarkIcon, type MarkName } from "../controls/mark-icon.tsx";
import { formatShortAge } from "../time/format-time-span.ts";
import { useShortTime } from "../time/time-text.tsx";
import { notNotifiedMarkOf } from "./not-notified-mark.ts";

/** Short marks of an object: reasons against its notifications, a late result, and its comments. */
export function ObjectMarks({ item }: { item: StatusItem }) {
  const { row } = item;
  const comments = notesOf(item);
  const notNotified = notNotifiedMarkOf(item, useNow());
  return (
    <>
      {row.acknowledgement !== undefined && <AcknowledgedMark ack={row.acknowledgement} />}
      {row.inDowntime && <DowntimeMark row={row} />}
      {row.suppressedBy.length > 0 && (
        <Mark icon="below" title={`Suppressed by ${row.suppressedBy.join(", ")}`}>
          {row.suppressedBy[0]}
        </Mark>
      )}
      {row.flapping && (
        <Mark icon="wave" title="State changes are suppressed while flapping">
          flapping
        </Mark>
      )}
      {row.notificationsEnabled === false && (
        <Mark icon="muted" title="Notifications for this object are disabled">
          notifications off
        </Mark>
      )}
      {row.notificationsEnabled !== false && notNotified !== undefined && (
        <Mark icon="muted" title={notNotified.title}>
          {notNotified.text}
        </Mark>
      )}
      {row.overdue && <LateMark row={row} />}
      {comments.length > 0 && (
        <Mark icon="pen" title={comments.at(-1)?.text ?? ""}>
          {comments.length}
          <span className="visually-hidden"> comments</span>
        </Mark>
      )}
    </>
  );
}

type Row = StatusItem["row"];

/** Comments of people: the one that says that an object flaps is what its mark says. */
const notesOf = ({ key, row }: StatusItem): Row["comments"] =>
  row.comments.filter(({ id }) => id !== flappingCommentId(refOf(key)));

/** True for an object that `ObjectMarks` has marks for. */
export const hasMarks = (item: StatusItem): boolean => {
  const { row } = item;
  return (
    row.acknowledgement !== undefined ||
    row.inDowntime === true ||
    row.suppressedBy.length > 0 ||
    row.flapping === true ||
    row.notificationsEnabled === false ||
    row.overdue === true ||
    notesOf(item).length > 0 ||
    notNotifiedMarkOf(item, 0) !== undefined
  );
};

function AcknowledgedMark({ ack }: { ack: NonNullable<Row["acknowledgement"]> }) {
  const shortTime = useShortTime();
  const [at, end] = [optionalMs(ack.at), optionalMs(ack.expiresAt)];
  const expires = end === undefined ? "" : `; expires ${shortTime(end)}`;
  const since = at === undefined ? "" : `, ${shortTime(at)}`;
  return (
    <Mark icon="check" title={`Acknowledged by ${personText(ack) || "unknown"}${since}: ${ack.comment}${expires}`}>
      {personOf(ack) === "" ? "ack" : `ack ${personOf(ack)}`}
      {ack.sticky && ", sticky"}
    </Mark>
  );
}

function DowntimeMark({ row }: { row: Row }) {
  const shortTime = useShortTime();
  const downtime = row.downtimes.find(({ inEffect }) => inEffect);
  const { kind } = downtime ?? {};
  const active = kind?.case === "flexible" || kind?.case === "triggered" ? kind.value.activeUntil : undefined;
  const untilMs = optionalMs(active ?? downtime?.end);
  return (
    <Mark
      icon="pause"
      title={
        downtime === undefined
          ? "Downtime of the host"
          : `Downtime by ${personText(downtime) || "unknown"}: ${downtime.comment}`
      }
    >
      {untilMs === undefined ? "downtime" : `downtime until ${shortTime(untilMs)}`}
    </Mark>
  );
}

/** Time by which an expected result is late. Grey, because a late result is not a problem of the object itself. */
function LateMark({ row }: { row: Row }) {
  const nowMs = useNow();
  const dueMs = optionalMs(row.nextCheck) ?? optionalMs(row.lastCheck);
  return (
    <Mark icon="clock" title="The result is overdue" className="mark is-late">
      {dueMs === undefined ? "never checked" : `late ${formatShortAge(nowMs - dueMs)}`}
    </Mark>
  );
}

type MarkProps = { icon: MarkName; title: string; className?: string; children: ReactNode };

export function Mark({ icon, title, className = "mark", children }: MarkProps) {
  return (
    <span className={className} title={title}>
      <MarkIcon name={icon} />
      {children}
    </span>
  );
}
