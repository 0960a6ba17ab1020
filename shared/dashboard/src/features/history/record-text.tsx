import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfWireRef } from "../../api/status/object-key.ts";
import { statusNameOf } from "../../api/status/status-name.ts";
import { DecisionText } from "../../components/object/decision-text.tsx";
import { StatusBadge } from "../../components/status/status-badge.tsx";
import { recordDetails, recordTypeLabels } from "./record-details.ts";

/** What kind of record it is: a state as its badge, anything else in a word or two. */
export function RecordTypeMark({ record }: { record: HistoryRecord }) {
  if (record.type === HistoryType.STATE)
    return (
      <span>
        <StatusBadge status={statusNameOf(record.status)} />
      </span>
    );
  const tone = tones[record.type] ?? "";
  return <span className={`record-word ${tone}`}>{recordTypeLabels[record.type] ?? "record"}</span>;
}

const tones: Readonly<Record<number, string>> = {
  [HistoryType.NOTIFICATION_FAILED]: "is-bad",
  [HistoryType.GAP]: "is-bad",
  [HistoryType.NOTIFICATION_SUPPRESSED]: "is-quiet",
};

/** The rest of the record: to whom, what, why and in whose words. */
export function RecordText({ record }: { record: HistoryRecord }) {
  const { because, contact, type } = record;
  // That a message was sent is what the record's own name says already.
  const reason = because?.reason === "sent" ? undefined : because;
  return (
    <>
      {contact !== "" && type !== HistoryType.NOTIFICATION_SUPPRESSED && <strong>{contact}</strong>}
      <span className="record-what">{recordDetails(record).join(" · ")}</span>
      {reason !== undefined && (
        <span>
          <DecisionText because={reason} object={keyOfWireRef(record.object)} />
        </span>
      )}
      {record.comment !== "" && <span className="record-quote">“{record.comment}”</span>}
      {record.output !== "" && <span className="record-output">{record.output}</span>}
    </>
  );
}
