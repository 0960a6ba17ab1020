import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { statusNameOf } from "@realmwatch/shared/view/row-status";
import { keyOfWireRef } from "../../api/status/object-key.ts";
import { DecisionText } from "../../components/object/decision-text.tsx";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { recordDetails, recordTypeLabels } from "./record-details.ts";
import "../../components/object/word.css";

/** Type of a record: the status badge of a state change, else a label. */
export function RecordTypeMark({ record }: { record: HistoryRecord }) {
  if (record.type === HistoryType.STATE)
    return (
      <span>
        <StatusBadge status={statusNameOf(record.status)} />
      </span>
    );
  const tone = tones[record.type] ?? "";
  return <span className={`word ${tone}`}>{recordTypeLabels[record.type] ?? "record"}</span>;
}

const tones: Readonly<Record<number, string>> = {
  [HistoryType.NOTIFICATION]: "is-good",
  [HistoryType.NOTIFICATION_FAILED]: "is-bad",
  [HistoryType.GAP]: "is-bad",
  [HistoryType.NOTIFICATION_SUPPRESSED]: "is-quiet",
};

/** Body of a record: recipient, details, decision, comment and output. */
export function RecordText({ record }: { record: HistoryRecord }) {
  const { because, contact, type } = record;
  // The record type already says that a notification was queued.
  const decision = because?.reason === "decided" ? undefined : because;
  const failed = because?.reason === "decided" ? because.name : "";
  return (
    <>
      {contact !== "" && type !== HistoryType.NOTIFICATION_SUPPRESSED && <strong>{contact}</strong>}
      <span className="record-what">{recordDetails(record).join(" · ")}</span>
      {failed !== "" && <span>as fallback of {failed}</span>}
      {decision !== undefined && (
        <span>
          <DecisionText decision={decision} object={keyOfWireRef(record.object)} />
        </span>
      )}
      {record.comment !== "" && <span className="record-quote">“{record.comment}”</span>}
      {record.output !== "" && <span className="record-output">{record.output}</span>}
    </>
  );
}
