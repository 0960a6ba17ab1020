import { parentPort, workerData } from "node:worker_threads";
import { serve } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalWorkerData, Opening, WriterAnswers, WriterAsk } from "./journal-protocol.ts";
import type { JournalStore } from "../write/journal-store.ts";
import { openJournalStore } from "../write/open-journal-store.ts";

/** The thread that writes the journal: SQLite waits for the disk, and only this thread waits with it. */
function answer(store: JournalStore, ask: WriterAsk): WriterAnswers[keyof WriterAnswers] {
  switch (ask.kind) {
    case "write":
      return store.write(ask.ops);
    case "recover":
      return store.recover(ask.nowMs);
    case "states":
      return store.states(ask.afterId, ask.limit);
    case "close":
      store.close();
      return null;
  }
}

if (parentPort) {
  const store = openJournalStore(workerData as JournalWorkerData);
  const opening: Opening = store.ok
    ? { kind: "opened", cursors: store.value.cursors() }
    : { kind: "refused", why: store.error };
  parentPort.postMessage(opening);
  if (store.ok) serve<WriterAsk>(parentPort, (ask) => answer(store.value, ask));
}
