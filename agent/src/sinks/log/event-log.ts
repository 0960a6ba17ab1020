import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { refOf } from "@realmwatch/shared/model/object-key";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { EventEntry, SinkObject } from "../sink-type.ts";
import type { EntrySource } from "./entry-source.ts";

/** Reads history records with a number greater than `seq`, oldest first. Throws when the disk cannot be read. */
export type ReadHistoryAfter = (seq: number, limit: number) => readonly HistoryRecord[];

type EventLogOptions = {
  readonly readAfter: ReadHistoryAfter;
  /** Number of the newest record. */
  readonly lastSeq: number;
  readonly realm: string;
  /** Present definition of an object by its reference; undefined when it is not configured. */
  readonly object: (ref: string) => SinkObject | undefined;
  /** Reports that history cannot be read. */
  readonly onFailure: (why: string) => void;
};

/** The realm's history as a source for sinks: the journal holds it already, and its retention deletes the oldest. */
export interface EventLog extends EntrySource<EventEntry> {
  /** Announces that the journal holds records up to `seq`. */
  advanced(seq: number): void;
}

export function openEventLog({ readAfter, realm, object, onFailure, ...start }: EventLogOptions): EventLog {
  let lastSeq = start.lastSeq;

  function read(position: number, limit: number): readonly HistoryRecord[] {
    try {
      return readAfter(position - 1, Math.min(limit, lastSeq - position + 1));
    } catch (error) {
      onFailure(errorText(error));
      return [];
    }
  }

  const entryOf = (record: HistoryRecord): EventEntry => ({
    record: { ...record, realm },
    object: record.key && (object(refOf(record.key)) ?? unknownObject(record.key)),
  });

  return {
    advanced(seq) {
      lastSeq = Math.max(lastSeq, seq);
    },
    end: () => lastSeq + 1,
    start: () => read(1, 1)[0]?.seq ?? lastSeq + 1,
    read(position, limit) {
      const records = position > lastSeq ? [] : read(position, limit);
      const [first] = records;
      if (first === undefined) return { from: position, entries: [], recordedAtMs: 0 };
      // Positions grow by 1 within a page: a gap ends it.
      const gap = records.findIndex(({ seq }, at) => seq !== first.seq + at);
      const consecutive = gap < 0 ? records : records.slice(0, gap);
      return { from: first.seq, entries: consecutive.map(entryOf), recordedAtMs: first.atMs };
    },
  };
}

const unknownObject = (key: SinkObject["key"]): SinkObject => ({
  key,
  labels: {},
  zone: "",
  checkType: "",
  parents: [],
});
