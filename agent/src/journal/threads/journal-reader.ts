import { ok } from "@realmwatch/shared/model/result";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { alertReader } from "../alert-table.ts";
import { AvailabilityReader } from "../history/availability-reader.ts";
import { openJournalHistoryReader } from "../history/history-reader.ts";
import { openPastRecordReader } from "../history/past-record-reader.ts";
import { type JournalPlace, openJournalForReading } from "../schema/journal-schema.ts";

/** Queries of history, by their names. */
function openJournalReader(dataDir: string) {
  const db = openJournalForReading(dataDir);
  const availability = new AvailabilityReader(db);
  return {
    ...openJournalHistoryReader(db),
    ...openPastRecordReader(db),
    alerts: alertReader(db),
    objectRecords: (...[request]: Parameters<AvailabilityReader["objectRecords"]>) =>
      availability.objectRecords(request),
    coverage: (...[range]: Parameters<AvailabilityReader["coverage"]>) => availability.coverage(range),
  };
}

export type JournalReader = ReturnType<typeof openJournalReader>;

serveThread(({ dataDir }: JournalPlace) => ok({ opening: undefined, handlers: openJournalReader(dataDir) }));
