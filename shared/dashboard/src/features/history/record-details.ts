import { durationMs } from "@bufbuild/protobuf/wkt";
import { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import { type Downtime, type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { pairEventText } from "@realmwatch/shared/view/pair-state";
import { personText } from "@realmwatch/shared/view/person";
import { isSoftState, statusNameOf } from "@realmwatch/shared/view/row-status";
import { notificationKindText } from "../../components/object/notification-kind-text.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";

/** Label of each record type, in the feed and in the filter. In the feed, a state change has its status badge instead. */
export const recordTypeLabels: Readonly<Record<number, string>> = {
  [HistoryType.STATE]: "state change",
  [HistoryType.NOTIFICATION_QUEUED]: "notification queued",
  [HistoryType.NOTIFICATION]: "notification delivered",
  [HistoryType.NOTIFICATION_FAILED]: "notification given up",
  [HistoryType.NOTIFICATION_SUPPRESSED]: "suppressed",
  [HistoryType.FLAPPING_START]: "flapping",
  [HistoryType.FLAPPING_STOP]: "flapping ended",
  [HistoryType.DOWNTIME_SCHEDULED]: "downtime scheduled",
  [HistoryType.DOWNTIME_START]: "downtime started",
  [HistoryType.DOWNTIME_END]: "downtime ended",
  [HistoryType.DOWNTIME_CANCELLED]: "downtime cancelled",
  [HistoryType.ACKNOWLEDGED]: "acknowledged",
  [HistoryType.ACKNOWLEDGEMENT_REMOVED]: "acknowledgement ended",
  [HistoryType.COMMENT_ADDED]: "comment",
  [HistoryType.COMMENT_DELETED]: "comment deleted",
  [HistoryType.NOTE]: "shift note",
  [HistoryType.TOGGLE]: "setting changed",
  [HistoryType.HANDLER]: "event handler",
  [HistoryType.CONFIG]: "configuration",
  [HistoryType.GAP]: "records missing",
  [HistoryType.PAIR_TAKEOVER]: "takeover",
  [HistoryType.PAIR_DEGRADED]: "pair degraded",
  [HistoryType.PAIR_RECOVERED]: "pair recovered",
};

/** True for records of notifications: queued, delivered, given up or suppressed. */
const isNotificationRecord = ({ type }: Pick<HistoryRecord, "type">): boolean =>
  type === HistoryType.NOTIFICATION ||
  type === HistoryType.NOTIFICATION_QUEUED ||
  type === HistoryType.NOTIFICATION_FAILED ||
  type === HistoryType.NOTIFICATION_SUPPRESSED;

/** Details of a record apart from its type, decision, comment and output. */
export function recordDetails(record: HistoryRecord): readonly string[] {
  const parts: string[] = [];
  if (record.type === HistoryType.STATE)
    parts.push(
      `from ${statusNameOf(record.previousStatus)}, ${isSoftState(record.stateType) ? `soft, attempt ${record.attempt}` : "hard"}`,
    );
  if (record.notificationKind !== NotificationKind.UNSPECIFIED)
    parts.push(notificationKindText(record.notificationKind));
  if (isNotificationRecord(record) && record.contact !== "") parts.push(`level ${record.level}`);
  if (record.possibleDuplicate) parts.push("possible duplicate");
  const downtime = record.downtime && downtimeDetails(record.downtime);
  if (downtime) parts.push(downtime);
  if (record.pair !== undefined) parts.push(pairEventText(record));
  if (record.author !== "") parts.push(`by ${personText(record)}`);
  return parts;
}

/** Kind of a downtime; empty for a fixed one. */
function downtimeDetails({ kind }: Downtime): string {
  switch (kind.case) {
    case "flexible":
      return kind.value.duration ? `flexible, ${formatTimeSpan(durationMs(kind.value.duration))}` : "flexible";
    case "triggered":
      return "triggered by another downtime";
    case "recurring":
      return `recurring, ${kind.value.name}`;
    default:
      return "";
  }
}
