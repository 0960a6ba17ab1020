import { parentPort, workerData } from "node:worker_threads";
import { type HistoryReader, historyReader } from "./history-reader.ts";
import type { JournalWorkerData, Opening, ReaderAnswers, ReaderAsk } from "./journal-protocol.ts";
import { openJournalForReading } from "./journal-schema.ts";
import { serve } from "./thread-link.ts";

/** The thread that answers questions about history. */
function answer(reader: HistoryReader, ask: ReaderAsk): ReaderAnswers[keyof ReaderAnswers] {
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
  }
}

if (parentPort) {
  const reader = historyReader(openJournalForReading((workerData as JournalWorkerData).dataDir));
  parentPort.postMessage({ kind: "opened", cursors: [] } satisfies Opening);
  serve<ReaderAsk>(parentPort, (ask) => answer(reader, ask));
}
