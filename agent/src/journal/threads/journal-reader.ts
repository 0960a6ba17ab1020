import { parentPort, workerData } from "node:worker_threads";
import { serve } from "@realmwatch/shared/platform/process/thread-client";
import { answerPast, type PastRecords, pastRecords } from "../history/past-records.ts";
import { type HistoryReader, historyReader } from "../history/history-reader.ts";
import type { JournalWorkerData, Opening, ReaderAnswers, ReaderAsk } from "./journal-protocol.ts";
import { openJournalForReading } from "../schema/journal-schema.ts";

type Readers = { readonly reader: HistoryReader; readonly past: PastRecords };

/** The thread that answers questions about history. */
function answer({ reader, past }: Readers, ask: ReaderAsk): ReaderAnswers[keyof ReaderAnswers] {
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
      return answerPast(past, ask);
  }
}

if (parentPort) {
  const db = openJournalForReading((workerData as JournalWorkerData).dataDir);
  const readers = { reader: historyReader(db), past: pastRecords(db) };
  parentPort.postMessage({ kind: "opened", cursors: [] } satisfies Opening);
  serve<ReaderAsk>(parentPort, (ask) => answer(readers, ask));
}
