import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { entryModule } from "@realmwatch/shared/platform/process/entry-module";
import { startWorkerThread } from "@realmwatch/shared/platform/process/thread-client";
import type { Journal, JournalOptions } from "../journal.ts";
import type {
  JournalThreadOpening,
  JournalWorkerData,
  ReaderRequest,
  ReaderResponses,
  WriterRequest,
  WriterResponses,
} from "./journal-protocol.ts";
import { threadedJournal } from "./threaded-journal.ts";

/**
 * Opens the journal of a data directory, which it reserves for this process.
 *
 * @returns the journal; or a sentence when the directory is in use by another process, not writable or damaged, or when
 *          the journal belongs to another realm or a newer version
 */
export async function openJournal(options: JournalOptions): Promise<Result<Journal, string>> {
  const workerData: JournalWorkerData = { dataDir: options.dataDir, realm: options.realm };
  const { opening, client: writer } = await startWorkerThread<JournalThreadOpening, WriterRequest, WriterResponses>(
    entryModule("journal-writer", import.meta.url),
    workerData,
  );
  if (opening.kind === "refused") {
    await writer.terminate();
    return fail(opening.why);
  }
  try {
    const { client: reader } = await startWorkerThread<JournalThreadOpening, ReaderRequest, ReaderResponses>(
      entryModule("journal-reader", import.meta.url),
      workerData,
    );
    return ok(threadedJournal({ options, writer, reader, cursors: new Map(opening.cursors) }));
  } catch (error) {
    await writer.terminate();
    return fail(`cannot read the journal in ${options.dataDir}: ${errorText(error)}`);
  }
}
