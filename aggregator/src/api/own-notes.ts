import { createHash } from "node:crypto";
import type { AnswerHistory } from "@realmwatch/shared/api/query/query-service";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { reusedKey } from "@realmwatch/shared/model/idempotency-key";
import { formatRefusal, type Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { StoredText, TextLimits, TextStore } from "@realmwatch/shared/platform/text-store";
import {
  historyPageToken,
  matchesHistory,
  parseHistoryPageToken,
} from "@realmwatch/shared/read-model/history/history-filter";
import { compareHistory } from "@realmwatch/shared/read-model/history/history-position";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { joinHistoryPages, type PositionedQuery, type RecordPage } from "../realms/history-page.ts";

/** Limits of the notes of the aggregator's own log. */
export const noteLimits = (historyRetentionMs: number): TextLimits => ({
  keptMs: historyRetentionMs,
  maxTexts: 10_000,
  maxLength: 64 * 1024 * 1024,
});

/** Fields of a note as they are stored. */
type OwnNote = { readonly author: string; readonly text: string };

/** [FD100] Shift log of the aggregator itself: notes about no realm, which all aggregators on one store share. */
export type OwnNotes = ReturnType<typeof ownNotes>;

export function ownNotes(store: TextStore) {
  async function read({ query, before }: PositionedQuery): Promise<RecordPage> {
    const { pageSize, sinceMs: fromMs, untilMs } = query;
    const toMs = Math.min(before?.atMs ?? Number.POSITIVE_INFINITY, (untilMs ?? Number.POSITIVE_INFINITY) - 1);
    const range = { fromMs, ...(Number.isFinite(toMs) ? { toMs } : {}), limit: pageSize + 1 };
    const records: HistoryRecord[] = [];
    for (let offset = 0; records.length <= pageSize; offset += range.limit) {
      const texts = await store.list({ ...range, offset });
      const found = texts
        .map(recordOf)
        .filter((record) => before === undefined || compareHistory(record, before) < 0)
        .filter((record) => matchesHistory(record, query, () => undefined));
      records.push(...found);
      if (texts.length < range.limit) break;
    }
    return { records: records.slice(0, pageSize), hasMore: records.length > pageSize };
  }
  return {
    /**
     * Adds a note and returns its id; a repeat with the same key gets the id of the first call.
     *
     * @param caller name of the caller, undefined without authentication: the keys of two callers do not collide
     */
    async add(
      { author, text }: OwnNote,
      call: { readonly caller: string | undefined; readonly key: string },
    ): Promise<Result<string, Refusal>> {
      const id = createHash("sha256")
        .update(JSON.stringify([call.caller, call.key]))
        .digest("hex")
        .slice(0, 32);
      const note = JSON.stringify({ author, text } satisfies OwnNote);
      return stored("written", async () => ((await store.add(id, note)) === note ? ok(id) : fail(reusedKey)));
    },
    /** Records of the notes that a query asks for, in a page of its size. */
    page: async (asked: PositionedQuery) =>
      mayHaveNotes(asked.query)
        ? stored("read", async () => ok(await read(asked)))
        : ok({ records: [], hasMore: false }),
  };
}

/** Runs an access to the store; its failure is a refusal. */
async function stored<T>(what: string, access: () => Promise<Result<T, Refusal>>): Promise<Result<T, Refusal>> {
  try {
    return await access();
  } catch (error) {
    return fail({ kind: "unavailable", what: `the aggregator's own log cannot be ${what}: ${errorText(error)}` });
  }
}

const mayHaveNotes = ({ realm, key, selector, types }: HistoryQuery): boolean =>
  realm === "" && key === undefined && selector === undefined && (types.length === 0 || types.includes("note"));

/** Record of a note. Its number follows from its id, so that notes of one time have the order in which they are listed. */
function recordOf({ key, text, atMs }: StoredText): HistoryRecord {
  const note = JSON.parse(text) as OwnNote;
  return {
    ...{ realm: "", seq: Number.parseInt(key.slice(0, 12), 16), atMs, type: "note" },
    ...(note.author === "" ? {} : { author: note.author }),
    comment: note.text,
    commentId: key,
  };
}

/** Adds the notes of the own log to the history of the realms. [RS12] A log that cannot be read is named. */
export function withOwnNotes(history: AnswerHistory, notes: Pick<OwnNotes, "page">): AnswerHistory {
  return async (query, call) => {
    const before = parseHistoryPageToken(query.pageToken);
    if (!before.ok) return before;
    const [answer, own] = await Promise.all([history(query, call), notes.page({ query, before: before.value })]);
    if (!answer.ok) return answer;
    const { records, nextPageToken, unread = [], ...rest } = answer.value;
    if (!own.ok) {
      const missing = { realm: "", why: formatRefusal(own.error) };
      return ok({ ...rest, records, nextPageToken, unread: [...unread, missing] });
    }
    if (own.value.records.length === 0) return answer;
    const page = joinHistoryPages(own.value, { records, hasMore: nextPageToken !== "" }, query.pageSize);
    const last = page.records.at(-1);
    const next = page.hasMore && last !== undefined ? historyPageToken(last) : "";
    return ok({ ...rest, records: page.records, nextPageToken: next, ...(unread.length === 0 ? {} : { unread }) });
  };
}
