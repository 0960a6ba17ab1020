import { parentPort, workerData } from "node:worker_threads";
import { serveThreadRequests } from "@realmwatch/shared/platform/process/thread-client";
import { type JournalHistoryReader, openJournalHistoryReader } from "../history/history-reader.ts";
import { answerPastRequest, type PastRecordReader, openPastRecordReader } from "../history/past-records.ts";
import { openJournalForReading } from "../schema/journal-schema.ts";
import type { JournalWorkerData, JournalThreadOpening, ReaderResponses, ReaderRequest } from "./journal-protocol.ts";

type Readers = { readonly reader: JournalHistoryReader; readonly past: PastRecordReader };

/** The thread that answers questions about history. */
function answer({ reader, past }: Readers, ask: ReaderRequest): ReaderResponses[keyof ReaderResponses] {
  switch (ask.kind) {
    case "page":
      return reader.page(ask.page);
    case "after":
      return reader.after(ask.seq, ask.limit);
    case "audit":
      return reader.audit(ask.sinceMs, ask.limit);
    case "close":
      reader.close();
      return null;
    default:
      return answerPastRequest(past, ask);
  }
}

if (parentPort) {
  const db = openJournalForReading((workerData as JournalWorkerData).dataDir);
  const readers = { reader: openJournalHistoryReader(db), past: openPastRecordReader(db) };
  parentPort.postMessage({ kind: "opened", cursors: [] } satisfies JournalThreadOpening);
  serveThreadRequests<ReaderRequest>(parentPort, (ask) => answer(readers, ask));
}
