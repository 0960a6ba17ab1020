import { NotificationKind } from "@realmwatch/proto/svc/v1/common_pb";
import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { reasonText } from "../status/reason-text.ts";
import { StatusBadge } from "../status/status-badge.tsx";
import { isSoft, wordOf } from "../status/status-word.ts";

const words: Readonly<Record<number, string>> = {
  [HistoryType.NOTIFICATION]: "notified",
  [HistoryType.NOTIFICATION_FAILED]: "not delivered",
  [HistoryType.NOTIFICATION_SUPPRESSED]: "kept quiet",
  [HistoryType.FLAPPING_START]: "flapping",
  [HistoryType.FLAPPING_STOP]: "flapping ended",
  [HistoryType.DOWNTIME_SCHEDULED]: "downtime scheduled",
  [HistoryType.DOWNTIME_START]: "downtime began",
  [HistoryType.DOWNTIME_END]: "downtime ended",
  [HistoryType.DOWNTIME_CANCELLED]: "downtime cancelled",
  [HistoryType.ACKNOWLEDGED]: "acknowledged",
  [HistoryType.ACKNOWLEDGEMENT_REMOVED]: "acknowledgement ended",
  [HistoryType.COMMENT_ADDED]: "comment",
  [HistoryType.COMMENT_DELETED]: "comment deleted",
  [HistoryType.TOGGLE]: "switch",
  [HistoryType.HANDLER]: "event handler",
  [HistoryType.CONFIG]: "configuration",
  [HistoryType.GAP]: "records missing",
};

/** What kind of record it is: a state as its badge, anything else in a word or two. */
export function RecordMark({ record }: { record: HistoryRecord }) {
  if (record.type === HistoryType.STATE)
    return (
      <span>
        <StatusBadge word={wordOf(record.status)} />
      </span>
    );
  const bad = record.type === HistoryType.NOTIFICATION_FAILED || record.type === HistoryType.GAP;
  return <span className={`record-word ${bad ? "is-bad" : ""}`}>{words[record.type] ?? "record"}</span>;
}

const kindNames = new Map<number, string>(Object.entries(NotificationKind).map(([name, kind]) => [kind, name]));
const kindText = (kind: NotificationKind): string => (kindNames.get(kind) ?? "").replaceAll("_", " ").toLowerCase();

/** The rest of the record, in the order in which a person would say it. */
export function RecordText({ record }: { record: HistoryRecord }) {
  const parts: string[] = [];
  if (record.type === HistoryType.STATE)
    parts.push(
      `from ${wordOf(record.previousStatus)}, ${isSoft(record.stateType) ? `soft, attempt ${record.attempt}` : "hard"}`,
    );
  if (record.notificationKind !== NotificationKind.UNSPECIFIED) parts.push(kindText(record.notificationKind));
  if (record.contact !== "") parts.push(`to ${record.contact}`);
  if (record.because !== undefined) parts.push(reasonText(record.because));
  if (record.author !== "")
    parts.push(`by ${record.author}${record.onBehalfOf === "" ? "" : ` for ${record.onBehalfOf}`}`);
  return (
    <>
      <span className="record-what">{parts.join(" · ")}</span>
      {record.comment !== "" && <span className="record-quote">“{record.comment}”</span>}
      {record.output !== "" && <span className="record-output">{record.output}</span>}
    </>
  );
}
