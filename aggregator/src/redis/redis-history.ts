import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { fail, ok } from "@realmwatch/shared/model/result";
import {
  compareHistory,
  type FindSelectorSubject,
  type HistoryPosition,
  historyPageToken,
  matchesHistory,
  parseHistoryPageToken,
} from "@realmwatch/shared/read-model/history/history-filter";
import type { HistorySource } from "@realmwatch/shared/read-model/history/history-source";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { decodeRecord, mayBeRecordOf } from "./redis-codec.ts";
import type { RedisConnection } from "./redis-connection.ts";
import { realmKeys } from "./redis-keys.ts";
import { readHistory } from "./redis-scripts.ts";

export type RedisHistoryOptions = {
  readonly redis: RedisConnection;
  readonly realms: readonly string[];
  /** Finds the objects of records, for queries with a selector. */
  readonly findSubject: FindSelectorSubject;
};

/** Number of records of one realm in one read. */
const recordsPerRead = 200;

/** History of all realms: each realm's list is read newest first, and the lists are merged by time. */
export function redisHistory({ redis, realms, findSubject }: RedisHistoryOptions): HistorySource {
  async function search(query: HistoryQuery, before: HistoryPosition | undefined): Promise<readonly HistoryRecord[]> {
    const realmsToRead = query.realm === "" ? realms : realms.filter((realm) => realm === query.realm);
    const cursors = await Promise.all(
      realmsToRead.map((realm) => openHistoryCursor(newestFirst(redis, realm, { query, before }))),
    );
    const found: HistoryRecord[] = [];
    while (found.length <= query.pageSize) {
      const next = newestOf(cursors);
      if (next?.head === undefined) break;
      if (matchesHistory(next.head, query, { ownRealm: "", findSubject })) found.push(next.head);
      await next.advance();
    }
    return found;
  }
  return {
    async history(query) {
      const before = parseHistoryPageToken(query.pageToken);
      if (!before.ok) return before;
      try {
        const found = await search(query, before.value);
        const page = found.slice(0, query.pageSize);
        const last = page.at(-1);
        const hasMore = found.length > query.pageSize && last !== undefined;
        return ok({ records: page, nextPageToken: hasMore ? historyPageToken(last) : "" });
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        return fail({ kind: "unavailable", what: `history: Redis did not answer: ${why}` });
      }
    },
  };
}

type HistoryCursor = { readonly head: HistoryRecord | undefined; advance(): Promise<void> };

async function openHistoryCursor(records: AsyncGenerator<HistoryRecord>): Promise<HistoryCursor> {
  let next = await records.next();
  return {
    get head() {
      return next.done ? undefined : next.value;
    },
    async advance() {
      next = await records.next();
    },
  };
}

function newestOf(cursors: readonly HistoryCursor[]): HistoryCursor | undefined {
  let newest: HistoryCursor | undefined;
  for (const cursor of cursors)
    if (cursor.head && (newest?.head === undefined || compareHistory(cursor.head, newest.head) > 0)) newest = cursor;
  return newest;
}

type Span = { readonly query: HistoryQuery; readonly before: HistoryPosition | undefined };

async function* newestFirst(
  redis: RedisConnection,
  realm: string,
  { query, before }: Span,
): AsyncGenerator<HistoryRecord, undefined> {
  const { history } = realmKeys(realm);
  const { key, sinceMs = Number.NEGATIVE_INFINITY } = query;
  const untilMs = Math.min(before?.atMs ?? Number.MAX_SAFE_INTEGER, query.untilMs ?? Number.MAX_SAFE_INTEGER);
  let last = "";
  for (;;) {
    const reply = await redis.run(readHistory, [history], [untilMs, last, recordsPerRead]);
    const members = Array.isArray(reply) ? reply.map(String) : [];
    for (const member of members) {
      if (key !== undefined && !mayBeRecordOf(member, key)) continue;
      const record = decodeRecord(member);
      if (record === undefined) continue;
      if (record.atMs < sinceMs) return;
      if (before === undefined || compareHistory(record, before) < 0) yield record;
    }
    last = members.at(-1) ?? "";
    if (members.length < recordsPerRead) return;
  }
}
