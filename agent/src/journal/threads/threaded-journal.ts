import { statSync } from "node:fs";
import { join } from "node:path";
import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import { type AuditRecord, auditRecordOf, type StoredAuditRecord } from "@realmwatch/shared/model/audit";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { ThreadClient } from "@realmwatch/shared/platform/process/thread-client";
import { damageCounter } from "@realmwatch/shared/platform/sqlite/damage-counter";
import { freeDiskBytes } from "@realmwatch/shared/platform/sqlite/free-disk-space";
import { startRetention } from "@realmwatch/shared/platform/sqlite/retention";
import { answerRetentionMs } from "../command-answer.ts";
import type { MissingRecords } from "../damage/missing-records.ts";
import { gatherRecordedPast } from "../history/gather-past.ts";
import { gatherObjectRecords } from "../history/gather-records.ts";
import { historyPageOf, historyPageRequest, historyRecordOf } from "../history/history-page.ts";
import type { Journal, JournalOptions } from "../journal.ts";
import { cursorFile, journalFile } from "../schema/journal-files.ts";
import { formatJournalDamage } from "../schema/journal-schema.ts";
import { type GroupCommit, openGroupCommit } from "../write/group-commit.ts";
import type { HistoryRow, ReaderRequest, ReaderResponses, WriterRequest, WriterResponses } from "./journal-protocol.ts";

type Writer = ThreadClient<WriterRequest, WriterResponses>;
type Reader = ThreadClient<ReaderRequest, ReaderResponses>;

/** States per slice of a recovery; a slice takes some MB. */
const statesPerSlice = 2_000;
/** Most history queries that may be pending; further ones are refused. */
const maxPendingReads = 1_000;

type Threads = {
  readonly options: JournalOptions;
  readonly writer: Writer;
  readonly reader: Reader;
  readonly cursors: Map<string, number>;
};

/** Journal whose writes and reads run in one thread each, so that the calling thread never waits for the disk. */
export function threadedJournal({ options, writer, reader, cursors }: Threads): Journal {
  const { clock, dataDir } = options;
  const commits: GroupCommit = openGroupCommit({
    clock,
    onSync: options.onSync ?? (() => {}),
    write: (ops) => writer.request({ kind: "write", ops }),
  });
  const trim = async (kind: "trim" | "trim_audit" | "trim_answers", older: { beforeMs: number; limit: number }) => {
    const trimmed = await commits.put({ kind, ...older });
    return trimmed.ok ? trimmed.value : undefined;
  };
  const stops = [
    startRetention({
      clock,
      retentionMs: options.historyRetentionMs,
      trim: (beforeMs, limit) => trim("trim", { beforeMs, limit }),
    }),
    startRetention({
      clock,
      retentionMs: options.auditRetentionMs ?? Number.MAX_SAFE_INTEGER,
      trim: (beforeMs, limit) => trim("trim_audit", { beforeMs, limit }),
    }),
    startRetention({
      clock,
      retentionMs: answerRetentionMs,
      trim: (beforeMs, limit) => trim("trim_answers", { beforeMs, limit }),
    }),
  ];
  const damage = damageCounter(options.onDamage ?? (() => {}));
  let readError = "";
  let missing: MissingRecords | undefined;
  let lastCommandSeq = 0;

  async function read<R extends ReaderRequest>(request: R): Promise<Result<ReaderResponses[R["kind"]], Refusal>> {
    if (reader.pending() >= maxPendingReads)
      return fail({ kind: "exhausted", what: "too many history queries are pending" });
    try {
      const response = await reader.request(request);
      readError = "";
      return ok(response);
    } catch (error) {
      readError = `history cannot be read: ${errorText(error)}`;
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

  const orDamaged = <T>(pending: Promise<T>): Promise<T> =>
    pending.catch((error: unknown) => {
      throw new Error(formatJournalDamage(join(dataDir, journalFile), errorText(error)));
    });

  return {
    async recover(take) {
      const head = await orDamaged(writer.request({ kind: "recover", nowMs: clock.now() }));
      ({ missing, lastCommandSeq } = head);
      const commands = head.commands.map(parseCommand);
      const appliedCommands = head.appliedCommands.map(parseCommand);
      const notifications = head.notifications.map((json) => JSON.parse(json) as Notification);
      await orDamaged(recoverStates(writer, take));
      return { ...head, commands, appliedCommands, notifications };
    },
    async accept(command, audit = [], answer = undefined) {
      const json = JSON.stringify(command);
      const result = await commits.accept({ json, audit: audit.map(auditLineOf), answer });
      if (result.ok) lastCommandSeq = Math.max(lastCommandSeq, result.value);
      return result.ok ? ok({ seq: result.value, ...command }) : result;
    },
    async audit(records) {
      const result = await commits.put({ kind: "audit", audit: records.map(auditLineOf) });
      return result.ok ? ok(undefined) : result;
    },
    async keepAnswer(answer) {
      const result = await commits.put({ kind: "answer", answer });
      return result.ok ? ok(undefined) : result;
    },
    async answerTo(call) {
      try {
        // The writer's thread, not the reader's, so that a command never waits for a query of history.
        return ok(await writer.request({ kind: "find_answer", call }));
      } catch (error) {
        const why = errorText(error);
        return fail({ kind: "unavailable", what: `the journal cannot be read: ${why}` });
      }
    },
    async auditRecords({ sinceMs, limit }) {
      const rows = await read({ kind: "audit", sinceMs, limit });
      return rows.ok ? ok(rows.value.map(readAuditRecord)) : rows;
    },
    async append(batch) {
      const result = await commits.put({ kind: "append", batch });
      return result.ok ? ok({ lastHistorySeq: result.value }) : result;
    },
    async history(query, refsMatching = () => []) {
      const page = historyPageRequest(query, { realm: options.realm, refsMatching });
      if (!page.ok) return page;
      if (page.value === "nothing") return ok({ records: [], nextPageToken: "" });
      const rows = await read({ kind: "page", page: page.value });
      return rows.ok ? ok(historyPageOf(rows.value, page.value.limit - 1, readHistoryRecord)) : rows;
    },
    pastRecords: (question) =>
      gatherRecordedPast(question, options.realm, { request: read, recordOf: readHistoryRecord }),
    objectRecords: (refs, range) => gatherObjectRecords({ refs, range }, read),
    coverage: (range) => read({ kind: "coverage", range }),
    async historyAfter(seq, limit) {
      const rows = await read({ kind: "after", seq, limit });
      return rows.ok ? rows.value.map(readHistoryRecord) : [];
    },
    cursor: async (name) => cursors.get(name) ?? 0,
    async setCursor(name, seq) {
      cursors.set(name, seq);
      await commits.put({ kind: "cursor", name, seq });
    },
    lastCommandSeq: () => lastCommandSeq,
    async noteLost(missing, commandSeq) {
      const result = await commits.put({ kind: "skip", missing, commandSeq, atMs: clock.now() });
      if (!result.ok) return result;
      lastCommandSeq = Math.max(lastCommandSeq, commandSeq);
      return ok({ lastHistorySeq: result.value });
    },
    async keepEpoch(epoch) {
      const result = await commits.put({ kind: "epoch", epoch });
      return result.ok ? ok(undefined) : result;
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
  const readSlice = (afterId: number): Promise<WriterResponses["states"]> =>
    writer.request({ kind: "states", afterId, limit: statesPerSlice });
  let nextSlice: ReturnType<typeof readSlice> | undefined = readSlice(0);
  while (nextSlice !== undefined) {
    const { states, nextAfterId }: WriterResponses["states"] = await nextSlice;
    nextSlice = nextAfterId === undefined ? undefined : readSlice(nextAfterId);
    // If `take` throws, the next slice is not awaited and its rejection would be unhandled.
    nextSlice?.catch(() => {});
    take(states);
  }
}

const auditLineOf = (record: AuditRecord) => ({ atMs: record.atMs, json: JSON.stringify(record) });

const bytesOf = (dataDir: string): number =>
  [journalFile, `${journalFile}-wal`, cursorFile, `${cursorFile}-wal`].reduce(
    (sum, file) => sum + (statSync(join(dataDir, file), { throwIfNoEntry: false })?.size ?? 0),
    0,
  );

const parseCommand = ({ seq, json }: { readonly seq: number; readonly json: string }): AcceptedCommand => ({
  seq,
  ...(JSON.parse(json) as Omit<AcceptedCommand, "seq">),
});
