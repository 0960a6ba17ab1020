import { statSync } from "node:fs";
import { join } from "node:path";
import { type AuditRecord, type StoredAuditRecord, auditRecordOf } from "@realmwatch/shared/model/audit";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { HistoryEntry, HistoryRecord } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import { damageCounter } from "@realmwatch/shared/platform/sqlite/damage-counter";
import { freeDiskBytes } from "@realmwatch/shared/platform/sqlite/free-disk-space";
import { startRetention } from "@realmwatch/shared/platform/sqlite/retention";
import { historyPageOf, historyPageRequest, historyRecordOf } from "../history/history-page.ts";
import { gatherPastEvidence } from "../history/past-evidence.ts";
import type { Journal, JournalOptions } from "../journal.ts";
import { formatJournalDamage } from "../schema/journal-schema.ts";
import { type GroupCommit, openGroupCommit } from "../write/group-commit.ts";
import {
  cursorFile,
  type MissingRecords,
  type HistoryRow,
  journalFile,
  type ReaderResponses,
  type ReaderRequest,
  type WriterResponses,
  type WriterRequest,
} from "./journal-protocol.ts";

type Writer = ThreadClient<WriterRequest, WriterResponses>;
type Reader = ThreadClient<ReaderRequest, ReaderResponses>;

/** States per slice of a recovery: a message of some MB. */
const recoverySlice = 2_000;
/** Questions about history that may wait before further ones are refused. */
const mostWaitingReads = 1_000;

type Threads = {
  readonly options: JournalOptions;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly cursors: Map<string, number>;
};

/** The journal as its users see it: one thread writes, another one reads, and this side only waits. */
export function threadedJournal({ options, writer, reader, cursors }: Threads): Journal {
  const { clock, dataDir } = options;
  const commits: GroupCommit = openGroupCommit({
    clock,
    onSync: options.onSync ?? (() => {}),
    write: (ops) => writer.request({ kind: "write", ops }),
  });
  const trimmed = async (kind: "trim" | "trim_audit", older: { beforeMs: number; limit: number }) => {
    const gone = await commits.put({ kind, ...older });
    return gone.ok ? gone.value : undefined;
  };
  const stops = [
    startRetention({
      clock,
      retentionMs: options.historyRetentionMs,
      trim: (beforeMs, limit) => trimmed("trim", { beforeMs, limit }),
    }),
    startRetention({
      clock,
      retentionMs: options.auditRetentionMs ?? Number.MAX_SAFE_INTEGER,
      trim: (beforeMs, limit) => trimmed("trim_audit", { beforeMs, limit }),
    }),
  ];
  const damage = damageCounter(options.onDamage ?? (() => {}));
  let readError = "";
  let gap: MissingRecords | undefined;

  async function read<A extends ReaderRequest>(ask: A): Promise<Result<ReaderResponses[A["kind"]], Refusal>> {
    if (reader.pending() >= mostWaitingReads)
      return fail({ kind: "exhausted", what: "too many questions about history wait" });
    try {
      const answer = await reader.request(ask);
      readError = "";
      return ok(answer);
    } catch (error) {
      readError = `history cannot be read: ${error instanceof Error ? error.message : error}`;
      return fail({ kind: "unavailable", what: readError });
    }
  }

  function readHistoryRecord(row: HistoryRow): HistoryRecord {
    if (row.json === undefined) damage.add(`history record ${row.seq}`);
    return historyRecordOf(row);
  }

  function readAuditRecord(row: StoredAuditRecord): AuditRecord {
    if (row.json === undefined) damage.add(`audit record ${row.seq}`);
    return auditRecordOf(row);
  }

  const orDamaged = <T>(asked: Promise<T>): Promise<T> =>
    asked.catch((error: unknown) => {
      throw new Error(formatJournalDamage(join(dataDir, journalFile), error instanceof Error ? error.message : String(error)));
    });

  return {
    async recover(take) {
      const head = await orDamaged(writer.request({ kind: "recover", nowMs: clock.now() }));
      gap = head.missing;
      const commands = head.commands.map(({ seq, json }) => ({
        seq,
        ...(JSON.parse(json) as Omit<AcceptedCommand, "seq">),
      }));
      const notifications = head.notifications.map((json) => JSON.parse(json) as Notification);
      await orDamaged(recoverStates(writer, take));
      return { ...head, commands, notifications };
    },
    async accept(command, audit = []) {
      const json = JSON.stringify(command);
      const answer = await commits.accept(json, audit.map(auditLineOf));
      return answer.ok ? ok({ seq: answer.value, ...command }) : answer;
    },
    async audit(records) {
      const answer = await commits.put({ kind: "audit", audit: records.map(auditLineOf) });
      return answer.ok ? ok(undefined) : answer;
    },
    async auditRecords({ sinceMs, limit }) {
      const rows = await read({ kind: "audit", sinceMs, limit });
      return rows.ok ? ok(rows.value.map(readAuditRecord)) : rows;
    },
    async append(batch) {
      const answer = await commits.put({
        kind: "append",
        states: batch.states.map(({ ref, state }) => [ref, state] as const),
        program: batch.program,
        history: batch.history.map(lineOf),
        appliedCommandSeq: batch.appliedCommandSeq,
        recordedCommandSeq: batch.recordedCommandSeq ?? batch.appliedCommandSeq,
        notifications: (batch.notifications ?? []).map((one) => [one.id, JSON.stringify(one)] as const),
        delivered: batch.delivered ?? [],
      });
      return answer.ok ? ok({ lastHistorySeq: answer.value }) : answer;
    },
    async history(query) {
      const page = historyPageRequest(query, options);
      if (!page.ok) return page;
      if (page.value === "nothing") return ok({ records: [], nextPageToken: "" });
      const rows = await read({ kind: "page", page: page.value });
      return rows.ok ? ok(historyPageOf(rows.value, page.value.limit - 1, readHistoryRecord)) : rows;
    },
    past: (question) => gatherPastEvidence(question, options.realm, { request: read, recordOf: readHistoryRecord }),
    async historyAfter(seq, limit) {
      const rows = await read({ kind: "after", seq, limit });
      return rows.ok ? rows.value.map(readHistoryRecord) : [];
    },
    cursor: async (name) => cursors.get(name) ?? 0,
    async setCursor(name, seq) {
      cursors.set(name, seq);
      await commits.put({ kind: "cursor", name, seq });
    },
    async skipHistoryTo(seq) {
      const answer = await commits.put({ kind: "skip", seq, atMs: clock.now() });
      return answer.ok ? ok({ lastHistorySeq: answer.value }) : answer;
    },
    async keepEpoch(epoch) {
      const answer = await commits.put({ kind: "epoch", epoch });
      return answer.ok ? ok(undefined) : answer;
    },
    health: () => ({
      writable: commits.error() === "",
      error: commits.error() || readError,
      waitingCommands: commits.waitingCommands(),
      waitingReads: reader.pending(),
      bytes: bytesOf(dataDir),
      freeBytes: freeDiskBytes(dataDir),
      missing,
      damagedRecords: damage.count(),
    }),
    async close() {
      for (const stop of stops) stop();
      await commits.close();
      await Promise.allSettled([reader.request({ kind: "close" })]);
      await Promise.allSettled([writer.request({ kind: "close" })]);
      await Promise.all([reader.terminate(), writer.terminate()]);
    },
  };
}

async function recoverStates(writer: Writer, take: Parameters<Journal["recover"]>[0]): Promise<void> {
  const ask = (afterId: number): Promise<WriterResponses["states"]> =>
    writer.request({ kind: "states", afterId, limit: recoverySlice });
  let reading: ReturnType<typeof ask> | undefined = ask(0);
  while (reading !== undefined) {
    const { states, nextAfterId }: WriterResponses["states"] = await reading;
    reading = nextAfterId === undefined ? undefined : ask(nextAfterId);
    // Where `take` throws nobody waits for it any more.
    reading?.catch(() => {});
    take(states);
  }
}

const lineOf = (entry: HistoryEntry) => ({
  atMs: entry.atMs,
  type: entry.type,
  ref: entry.key ? refOf(entry.key) : null,
  json: JSON.stringify(entry),
});

const auditLineOf = (record: AuditRecord) => ({ atMs: record.atMs, json: JSON.stringify(record) });

const bytesOf = (dataDir: string): number =>
  [journalFile, `${journalFile}-wal`, cursorFile, `${cursorFile}-wal`].reduce(
    (sum, file) => sum + (statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );
