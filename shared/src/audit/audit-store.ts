import { type AuditRecord, auditRecordOf } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { errorText } from "../platform/error-text.ts";
import { entryModule } from "../platform/process/entry-module.ts";
import { startWorkerThread, type ThreadClient } from "../platform/process/thread-client.ts";
import { startRetention } from "../platform/sqlite/retention.ts";
import type { AuditGap } from "./audit-file.ts";
import type { AuditFileHandlers } from "./audit-thread.ts";

/** File of audit records for a program without a journal. */
export type AuditStore = ReturnType<typeof auditStore>;

type AuditQuery = { readonly sinceMs: number | undefined; readonly limit: number };

type AuditStoreOptions = {
  /** Created with mode 0700 when it does not exist. */
  readonly dataDir: string;
  /** Maximum age of a record, ms. */
  readonly retentionMs: number;
  readonly clock: Clock;
  /** Called with the error when writing starts to fail. */
  onWriteFailed?(why: string): void;
  /** Called when writing succeeds again. */
  onWriteRecovered?(): void;
};

/**
 * Opens the audit records of a data directory and locks them for this process.
 *
 * @returns the store; or why it cannot be opened: in use, owned by another user, damaged, not writable
 */
export async function openAuditStore(options: AuditStoreOptions): Promise<Result<AuditStore, string>> {
  const opened = await startWorkerThread<AuditGap | undefined, AuditFileHandlers>(
    entryModule("audit-thread", import.meta.url),
    options.dataDir,
  );
  return opened.ok ? ok(auditStore(opened.value.client, opened.value.opening, options)) : opened;
}

function auditStore(
  client: ThreadClient<AuditFileHandlers>,
  gap: AuditGap | undefined,
  { clock, retentionMs, onWriteFailed, onWriteRecovered }: AuditStoreOptions,
) {
  let writeError = "";

  function setWriteError(error: string): void {
    const previous = writeError;
    writeError = error;
    if (previous === "" && error !== "") onWriteFailed?.(error);
    if (previous !== "" && error === "") onWriteRecovered?.();
  }

  const stop = startRetention({
    clock,
    retentionMs,
    trim: (beforeMs, limit) => client.request("trim", beforeMs, limit).catch(() => undefined),
  });
  return {
    /** Resolves with ok when all records are durable; `unavailable` when the disk refused them and none was written. */
    async audit(records: readonly AuditRecord[]): Promise<Result<void, Refusal>> {
      const entries = records.map((record) => ({ atMs: record.atMs, json: JSON.stringify(record) }));
      try {
        await client.request("add", entries);
        setWriteError("");
        return ok(undefined);
      } catch (error) {
        setWriteError(errorText(error));
        return fail({ kind: "unavailable", what: `the audit log cannot be written: ${writeError}` });
      }
    },
    /** Records since `sinceMs` (undefined: all), newest first. `unavailable` when the disk cannot be read. */
    async auditRecords({ sinceMs, limit }: AuditQuery): Promise<Result<readonly AuditRecord[], Refusal>> {
      try {
        return ok((await client.request("records", sinceMs, limit)).map(auditRecordOf));
      } catch (error) {
        return fail({ kind: "unavailable", what: `the audit log cannot be read: ${errorText(error)}` });
      }
    },
    /** Loss detected when the file was opened; `auditGapRecord` turns it into a record of the log. */
    gap,
    /** Error of the last write; empty when it succeeded. */
    error: (): string => writeError,
    async close(): Promise<void> {
      stop();
      await client.request("close").catch(() => {});
      await client.terminate();
    },
  };
}
