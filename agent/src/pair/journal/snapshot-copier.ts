import { statSync } from "node:fs";
import { backup, DatabaseSync } from "node:sqlite";
import { ok } from "@realmwatch/shared/model/result";
import { serveThread } from "@realmwatch/shared/platform/process/thread-client";
import { restrictDatabase } from "@realmwatch/shared/platform/sqlite/private-database";
import { openJournalForReading } from "../../journal/schema/journal-schema.ts";

/** Pages per step of the copy: all, so that concurrent writes are copied completely or not at all. */
const allPages = 1_000_000_000;

export type CopiedJournal = { readonly bytes: number };

const copierOf = (dataDir: string) => ({
  /** Copies the journal, which another thread may be writing to, into one file. */
  async copy(path: string): Promise<CopiedJournal> {
    const db = openJournalForReading(dataDir);
    try {
      await backup(db, path, { rate: allPages });
    } finally {
      db.close();
    }
    const copy = new DatabaseSync(path);
    restrictDatabase(path);
    // Without a write-ahead log beside it. The copy need not outlive this process.
    copy.exec("PRAGMA synchronous = OFF; PRAGMA journal_mode = DELETE");
    copy.close();
    return { bytes: statSync(path).size };
  },
});

export type SnapshotCopier = ReturnType<typeof copierOf>;

serveThread(({ dataDir }: { readonly dataDir: string }) => ok({ opening: undefined, handlers: copierOf(dataDir) }));
