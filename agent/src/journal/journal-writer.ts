import { parentPort, workerData } from "node:worker_threads";
import { serve } from "@realmwatch/shared/tools/thread-link";
import type { Result } from "@realmwatch/shared/words/result";
import type { JournalWorkerData, Opening, WriterAnswers, WriterAsk } from "./journal-protocol.ts";
import { lockDataDir, openJournalFile } from "./journal-schema.ts";
import { type JournalStore, journalStore } from "./journal-store.ts";

/** The thread that writes the journal: SQLite waits for the disk, and only this thread waits with it. */
function open(data: JournalWorkerData): Result<JournalStore, string> {
  const folder = lockDataDir(data.dataDir);
  if (!folder.ok) return folder;
  const db = openJournalFile(data);
  if (db.ok) return { ok: true, value: journalStore(db.value, folder.value, data.dataDir) };
  folder.value.close();
  return db;
}

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
  const store = open(workerData as JournalWorkerData);
  const opening: Opening = store.ok
    ? { kind: "opened", cursors: store.value.cursors() }
    : { kind: "refused", why: store.error };
  parentPort.postMessage(opening);
  if (store.ok) serve<WriterAsk>(parentPort, (ask) => answer(store.value, ask));
}
