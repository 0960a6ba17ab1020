import { type AuditRecord, auditRecordOf } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { startRetention } from "../platform/sqlite/retention.ts";
import { startWorkerThread, type ThreadClient } from "../platform/process/thread-client.ts";
import type { AuditResponses, AuditRequest, AuditGap, AuditOpenResult } from "./audit-thread-protocol.ts";
import type { AuditWriter } from "./audit-queue.ts";

/** A file of audit records, for a program that has no journal to keep them in. */
export type AuditStore = AuditWriter & {
  /** Newest first: those since `sinceMs`, which left out means all. `unavailable`: the disk cannot be read. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
  /** What the file was found to have lost when it was opened; `gapRecord` says it to whoever reads the records. */
  readonly gap: AuditGap | undefined;
  /** Why nothing can be written; empty where the last record was kept. */
  error(): string;
  close(): Promise<void>;
};

export type AuditStoreOptions = {
  /** Made with mode 0700 where it is missing. */
  readonly dataDir: string;
  /** Records older than this go, ms. */
  readonly retentionMs: number;
  readonly clock: Clock;
  /** Nothing can be written, in the system's words; told once until it can. */
  onWriteFailed?(why: string): void;
  /** Records are written again. */
  onWriteRecovered?(): void;
};

/**
 * Opens the audit records in a data directory and takes them for this process.
 *
 * @returns the store; or a sentence: in use, of another user, damaged, not writable
 */
export async function openAuditStore(options: AuditStoreOptions): Promise<Result<AuditStore, string>> {
  const place = { module: "audit-thread", from: import.meta.url };
  const { opening, link } = await startWorkerThread<AuditOpenResult, AuditRequest, AuditResponses>(place, {
    dataDir: options.dataDir,
  });
  if (opening.kind === "opened") return ok(storeOver(link, opening.gap, options));
  await link.terminate();
  return fail(opening.why);
}

function storeOver(
  link: ThreadClient<AuditRequest, AuditResponses>,
  gap: AuditGap | undefined,
  { clock, retentionMs, onWriteFailed, onWriteRecovered }: AuditStoreOptions,
): AuditStore {
  let writeError = "";

  function learn(error: string): void {
    const before = writeError;
    writeError = error;
    if (before === "" && error !== "") onWriteFailed?.(error);
    if (before !== "" && error === "") onWriteRecovered?.();
  }

  async function ask<A extends AuditRequest>(question: A): Promise<Result<AuditResponses[A["kind"]], string>> {
    try {
      return ok(await link.request(question));
    } catch (error) {
      return fail(error instanceof Error ? error.message : String(error));
    }
  }

  const stop = startRetention({
    clock,
    retentionMs,
    async trim(beforeMs, limit) {
      const gone = await ask({ kind: "trim", beforeMs, limit });
      return gone.ok ? gone.value : undefined;
    },
  });
  return {
    async audit(records) {
      const lines = records.map((record) => ({ atMs: record.atMs, json: JSON.stringify(record) }));
      const kept = await ask({ kind: "add", lines });
      learn(kept.ok ? "" : kept.error);
      if (kept.ok) return ok(undefined);
      return fail({ kind: "unavailable", what: `the audit log cannot be written: ${kept.error}` });
    },
    async auditRecords({ sinceMs, limit }) {
      const rows = await ask({ kind: "records", sinceMs, limit });
      if (rows.ok) return ok(rows.value.map(auditRecordOf));
      return fail({ kind: "unavailable", what: `the audit log cannot be read: ${rows.error}` });
    },
    gap,
    error: () => writeError,
    async close() {
      stop();
      await ask({ kind: "close" });
      await link.terminate();
    },
  };
}
