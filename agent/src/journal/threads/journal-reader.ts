import { parentPort, workerData } from "node:worker_threads";
import { serveThreadRequests } from "@realmwatch/shared/platform/process/thread-client";
import { type AvailabilityReader, openAvailabilityReader } from "../history/availability-reader.ts";
import { type JournalHistoryReader, openJournalHistoryReader } from "../history/history-reader.ts";
import { answerPastRequest, openPastRecordReader, type PastRecordReader } from "../history/past-record-reader.ts";
import { openJournalForReading } from "../schema/journal-schema.ts";
import type { JournalThreadOpening, JournalWorkerData, ReaderRequest, ReaderResponses } from "./journal-protocol.ts";

type Readers = {
  readonly history: JournalHistoryReader;
  readonly past: PastRecordReader;
  readonly availability: AvailabilityReader;
};

/** Handles a history query in the reader thread. */
function handle(
  { history, past, availability }: Readers,
  request: ReaderRequest,
): ReaderResponses[keyof ReaderResponses] {
  switch (request.kind) {
    case "page":
      return history.page(request.page);
    case "after":
      return history.after(request.seq, request.limit);
    case "audit":
      return history.audit(request.sinceMs, request.limit);
    case "object_records":
      return availability.objectRecords(request);
    case "coverage":
      return availability.coverage(request.range);
    case "close":
      history.close();
      return null;
    default:
      return answerPastRequest(past, request);
  }
}

if (parentPort) {
  const db = openJournalForReading((workerData as JournalWorkerData).dataDir);
  const readers = {
    history: openJournalHistoryReader(db),
    past: openPastRecordReader(db),
    availability: openAvailabilityReader(db),
  };
  parentPort.postMessage({ kind: "opened", cursors: [] } satisfies JournalThreadOpening);
  serveThreadRequests<ReaderRequest>(parentPort, (request) => handle(readers, request));
}
