import { ok } from "@realmwatch/shared/model/result";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalPlace } from "../schema/journal-schema.ts";
import { openJournalStore } from "../write/journal-store.ts";

// SQLite blocks until the disk has synced, and blocks only this thread.
serveThread((place: JournalPlace) => {
  const store = openJournalStore(place);
  return store.ok ? ok({ opening: store.value.cursors(), handlers: store.value }) : store;
});
