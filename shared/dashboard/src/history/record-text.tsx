import { type HistoryRecord, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfRef } from "../objects/object-key.ts";
import { Reason } from "../objects/reason.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import { wordOf } from "../status/status-word.ts";
import { recordWords, wordsOf } from "./record-words.ts";

/** What kind of record it is: a state as its badge, anything else in a word or two. */
export function RecordMark({ record }: { record: HistoryRecord }) {
  if (record.type === HistoryType.STATE)
    return (
      <span>
        <StatusBadge word={wordOf(record.status)} />
      </span>
    );
  const tone = tones[record.type] ?? "";
  return <span className={`record-word ${tone}`}>{recordWords[record.type] ?? "record"}</span>;
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
      <span className="record-what">{wordsOf(record).join(" · ")}</span>
      {reason !== undefined && (
        <span>
          <Reason because={reason} object={keyOfRef(record.object)} />
        </span>
      )}
      {record.comment !== "" && <span className="record-quote">“{record.comment}”</span>}
      {record.output !== "" && <span className="record-output">{record.output}</span>}
    </>
  );
}
