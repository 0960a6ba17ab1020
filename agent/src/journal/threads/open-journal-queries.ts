import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread } from "@realmwatch/shared/platform/process/thread-client";
import { JournalQueries, type JournalQueriesOptions, type ReaderThread } from "../journal-queries.ts";
import type { JournalPlace } from "../schema/journal-schema.ts";
import type { JournalReader } from "./journal-reader.ts";

const startReader = (place: JournalPlace) =>
  startWorkerThread<undefined, JournalReader>(entryModule("journal-reader", import.meta.url), place);

/** Opens a thread that reads a journal. It starts with the first query: an idle agent has none. */
export function openReaderThread(place: JournalPlace): ReaderThread {
  let starting: ReturnType<typeof startReader> | undefined;
  let pending = 0;
  async function end(): Promise<void> {
    const started = await starting;
    if (started?.ok) await started.value.client.terminate();
  }
  return {
    async request(kind, ...args) {
      pending += 1;
      try {
        starting ??= startReader(place);
        const own = starting;
        const started = await own;
        if (started.ok) return await started.value.client.request(kind, ...args);
        if (starting === own) starting = undefined;
        throw new Error(started.error);
      } finally {
        pending -= 1;
      }
    },
    pending: () => pending,
    terminate: end,
    reopen() {
      void end();
      starting = undefined;
    },
  };
}

/** Opens queries of a journal that another thread of this process writes. */
export const openJournalQueries = (options: JournalPlace & JournalQueriesOptions): JournalQueries =>
  new JournalQueries(options, openReaderThread({ dataDir: options.dataDir, realm: options.realm }));
