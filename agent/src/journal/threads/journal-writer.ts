import { parentPort, workerData } from "node:worker_threads";
import { never } from "@realmwatch/shared/model/never";
import { serveThreadRequests } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalStore } from "../write/journal-store.ts";
import { openJournalStore } from "../write/open-journal-store.ts";
import type { JournalThreadOpening, JournalWorkerData, WriterRequest, WriterResponses } from "./journal-protocol.ts";

/** Handles a request in the writer thread: SQLite blocks until the disk has synced, and blocks only this thread. */
function handle(store: JournalStore, request: WriterRequest): WriterResponses[keyof WriterResponses] {
  switch (request.kind) {
    case "write":
      return store.write(request.ops);
    case "recover":
      return store.recover(request.nowMs);
    case "states":
      return store.states(request.afterId, request.limit);
    case "find_answer":
      return store.findAnswer(request.call);
    case "close":
      store.close();
      return null;
    default:
      return never(request);
  }
}

if (parentPort) {
  const port = parentPort;
  const store = openJournalStore(workerData as JournalWorkerData);
  const opening: JournalThreadOpening = store.ok
    ? { kind: "opened", cursors: store.value.cursors() }
    : { kind: "refused", why: store.error };
  port.postMessage(opening);
  if (store.ok) serveThreadRequests<WriterRequest>(port, (request) => handle(store.value, request));
}
