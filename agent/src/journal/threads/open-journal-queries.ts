import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread } from "@realmwatch/shared/platform/process/thread-client";
import { JournalQueries, type JournalQueriesOptions } from "../journal-queries.ts";
import type { JournalPlace } from "../schema/journal-schema.ts";
import type { JournalReader } from "./journal-reader.ts";

/** Starts the thread that reads a journal. */
export const startJournalReader = (place: JournalPlace) =>
  startWorkerThread<undefined, JournalReader>(entryModule("journal-reader", import.meta.url), place);

async function end(starting: ReturnType<typeof startJournalReader> | undefined): Promise<void> {
  const started = await starting;
  if (started?.ok) await started.value.client.terminate();
}

/**
 * Opens queries of a journal that another thread of this process writes. The thread that reads starts with the first
 * query.
 */
export function openJournalQueries(options: JournalPlace & JournalQueriesOptions): JournalQueries {
  const { dataDir, realm } = options;
  let starting: ReturnType<typeof startJournalReader> | undefined;
  let pending = 0;
  return new JournalQueries(options, {
    async request(kind, ...args) {
      pending += 1;
      try {
        starting ??= startJournalReader({ dataDir, realm });
        const started = await starting;
        if (!started.ok) throw new Error(started.error);
        return await started.value.client.request(kind, ...args);
      } finally {
        pending -= 1;
      }
    },
    pending: () => pending,
    terminate: () => end(starting),
    reopen() {
      void end(starting);
      starting = undefined;
    },
  });
}
