import { ok } from "@realmwatch/shared/model/result";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import type { JournalPlace } from "../../journal/schema/journal-schema.ts";
import { openFollowerStore } from "./follower-store.ts";

// SQLite blocks until the disk has synced, and blocks only this thread.
serveThread((place: JournalPlace) => {
  const store = openFollowerStore(place);
  return store.ok ? ok({ opening: store.value.opening(), handlers: store.value }) : store;
});
