import { type AuditRecord, auditRecordOf } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { errorText } from "../platform/error-text.ts";
import { entryModule } from "../platform/process/entry-module.ts";
import { startWorkerThread, type ThreadClient } from "../platform/process/thread-client.ts";
import { startRetention } from "../platform/sqlite/retention.ts";
import type { AuditWriter } from "./audit-queue.ts";
import type { AuditGap, AuditOpenResult, AuditRequest, AuditResponses } from "./audit-thread-protocol.ts";

/** File of audit records for a program without a journal. */
export type AuditStore = AuditWriter & {
  /** Records since `sinceMs` (undefined: all), newest first. `unavailable` when the disk cannot be read. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
  /** Loss detected when the file was opened; `auditGapRecord` turns it into a record of the log. */
  readonly gap: AuditGap | undefined;
  /** Error of the last write; empty when it succeeded. */
  error(): string;
  close(): Promise<void>;
};

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
  const { opening, client } = await startWorkerThread<AuditOpenResult, AuditRequest, AuditResponses>(
    entryModule("audit-thread", import.meta.url),
    { dataDir: options.dataDir },
  );
  if (opening.kind === "opened") return ok(auditStore(client, opening.gap, options));
  await client.terminate();
  return fail(opening.why);
}

function auditStore(
  client: ThreadClient<AuditRequest, AuditResponses>,
  gap: AuditGap | undefined,
  { clock, retentionMs, onWriteFailed, onWriteRecovered }: AuditStoreOptions,
): AuditStore {
  let writeError = "";

  function setWriteError(error: string): void {
    const previous = writeError;
    writeError = error;
    if (previous === "" && error !== "") onWriteFailed?.(error);
    if (previous !== "" && error === "") onWriteRecovered?.();
  }

  async function send<R extends AuditRequest>(request: R): Promise<Result<AuditResponses[R["kind"]], string>> {
    try {
      return ok(await client.request(request));
    } catch (error) {
      return fail(errorText(error));
    }
  }

  const stop = startRetention({
    clock,
    retentionMs,
    async trim(beforeMs, limit) {
      const deleted = await send({ kind: "trim", beforeMs, limit });
      return deleted.ok ? deleted.value : undefined;
    },
  });
  return {
    async audit(records) {
      const entries = records.map((record) => ({ atMs: record.atMs, json: JSON.stringify(record) }));
      const written = await send({ kind: "add", entries });
      setWriteError(written.ok ? "" : written.error);
      if (written.ok) return ok(undefined);
      return fail({ kind: "unavailable", what: `the audit log cannot be written: ${written.error}` });
    },
    async auditRecords({ sinceMs, limit }) {
      const rows = await send({ kind: "records", sinceMs, limit });
      if (rows.ok) return ok(rows.value.map(auditRecordOf));
      return fail({ kind: "unavailable", what: `the audit log cannot be read: ${rows.error}` });
    },
    gap,
    error: () => writeError,
    async close() {
      stop();
      await send({ kind: "close" });
      await client.terminate();
    },
  };
}
