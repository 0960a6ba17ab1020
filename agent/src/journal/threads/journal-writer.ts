import { parentPort, workerData } from "node:worker_threads";
import { serveThreadRequests } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalStore } from "../write/journal-store.ts";
import { openJournalStore } from "../write/open-journal-store.ts";
import type { JournalWorkerData, JournalThreadOpening, WriterResponses, WriterRequest } from "./journal-protocol.ts";

/** The thread that writes the journal: SQLite waits for the disk, and only this thread waits with it. */
function answer(store: JournalStore, ask: WriterRequest): WriterResponses[keyof WriterResponses] {
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
  const opening: JournalThreadOpening = store.ok
    ? { kind: "opened", cursors: store.value.cursors() }
    : { kind: "refused", why: store.error };
  parentPort.postMessage(opening);
  if (store.ok) serveThreadRequests<WriterRequest>(parentPort, (ask) => answer(store.value, ask));
}
