import { ok, type Result } from "@realmwatch/shared/model/result";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread } from "@realmwatch/shared/platform/process/thread-client";
import { Journal } from "../journal.ts";
import type { JournalOptions } from "../journal-contract.ts";
import type { JournalPlace } from "../schema/journal-schema.ts";
import type { JournalStore } from "../write/journal-store.ts";
import { openReaderThread } from "./open-journal-queries.ts";

/**
 * Opens the journal of a data directory, which it reserves for this process.
 *
 * @returns the journal; or a sentence when the directory is in use by another process, not writable or damaged, or when
 *          the journal belongs to another realm or a newer version
 */
export async function openJournal(options: JournalOptions): Promise<Result<Journal, string>> {
  const { dataDir, realm, pair, verified } = options;
  const place: JournalPlace = { dataDir, realm, verified, ...(pair && { pair: "active" }) };
  const writer = await startWorkerThread<ReturnType<JournalStore["cursors"]>, JournalStore>(
    entryModule("journal-writer", import.meta.url),
    place,
  );
  if (!writer.ok) return writer;
  const { client, opening } = writer.value;
  pair?.start(await client.request("end"), opening);
  return ok(new Journal(options, { writer: client, reader: openReaderThread(place) }, opening));
}
