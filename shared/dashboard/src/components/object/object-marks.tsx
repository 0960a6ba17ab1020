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

type Row = StatusItem["row"];
/** Formats a time as `12:41`, with the date when it is not today. */
type FormatTime = (atMs: number) => string;

/** Short marks of an object: reasons against its notifications, a late result, and its comments. */
export function ObjectMarks({ item }: { item: StatusItem }) {
  return marksOf(item, useNow(), useShortTime()).map((mark) => <Mark key={mark.icon} {...mark} />);
}

/** True for an object that has marks. */
export const hasMarks = (item: StatusItem): boolean => marksOf(item, 0, String).length > 0;

function marksOf(item: StatusItem, nowMs: number, shortTime: FormatTime): readonly MarkProps[] {
  const { key, row } = item;
  const marks: (MarkProps | undefined)[] = [
    row.acknowledgement && acknowledgedMark(row.acknowledgement, shortTime),
    row.inDowntime ? downtimeMark(row, shortTime) : undefined,
  ];
  const [suppressor] = row.suppressedBy;
  if (suppressor !== undefined)
    marks.push({ icon: "below", title: `Suppressed by ${row.suppressedBy.join(", ")}`, children: suppressor });
  if (row.flapping)
    marks.push({ icon: "wave", title: "State changes are suppressed while flapping", children: "flapping" });
  const notNotified = notNotifiedMarkOf(item, nowMs);
  if (row.notificationsEnabled === false)
    marks.push({ icon: "muted", title: "Notifications for this object are disabled", children: "notifications off" });
  else if (notNotified !== undefined)
    marks.push({ icon: "muted", title: notNotified.title, children: notNotified.text });
  if (row.overdue) marks.push(lateMark(row, nowMs));
  // The comment that says that an object flaps is what its mark says.
  const comments = row.comments.filter(({ id }) => id !== flappingCommentId(refOf(key)));
  if (comments.length > 0)
    marks.push({ icon: "pen", title: comments.at(-1)?.text ?? "", children: <Comments count={comments.length} /> });
  return marks.filter((mark) => mark !== undefined);
}

const Comments = ({ count }: { count: number }) => (
  <>
    {count}
    <span className="visually-hidden"> comments</span>
  </>
);

function acknowledgedMark(ack: NonNullable<Row["acknowledgement"]>, shortTime: FormatTime): MarkProps {
  const [at, end] = [optionalMs(ack.at), optionalMs(ack.expiresAt)];
  const expires = end === undefined ? "" : `; expires ${shortTime(end)}`;
  const since = at === undefined ? "" : `, ${shortTime(at)}`;
  return {
    icon: "check",
    title: `Acknowledged by ${personText(ack) || "unknown"}${since}: ${ack.comment}${expires}`,
    children: `ack ${personOf(ack)}`.trim() + (ack.sticky ? ", sticky" : ""),
  };
}

function downtimeMark({ downtimes }: Row, shortTime: FormatTime): MarkProps {
  const downtime = downtimes.find(({ inEffect }) => inEffect);
  const { kind } = downtime ?? {};
  const active = kind?.case === "flexible" || kind?.case === "triggered" ? kind.value.activeUntil : undefined;
  const untilMs = optionalMs(active ?? downtime?.end);
  const by = downtime && `Downtime by ${personText(downtime) || "unknown"}: ${downtime.comment}`;
  return {
    icon: "pause",
    title: by ?? "Downtime of the host",
    children: untilMs === undefined ? "downtime" : `downtime until ${shortTime(untilMs)}`,
  };
}

/** Time by which an expected result is late. Grey, because a late result is not a problem of the object itself. */
function lateMark(row: Row, nowMs: number): MarkProps {
  const dueMs = optionalMs(row.nextCheck) ?? optionalMs(row.lastCheck);
  const children = dueMs === undefined ? "never checked" : `late ${formatShortAge(nowMs - dueMs)}`;
  return { icon: "clock", title: "The result is overdue", className: "mark is-late", children };
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
