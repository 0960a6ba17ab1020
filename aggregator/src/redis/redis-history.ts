import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { ok } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import {
  type FindSelectorSubject,
  historyPageToken,
  matchesHistory,
  parseHistoryPageToken,
} from "@realmwatch/shared/read-model/history/history-filter";
import { compareHistory, type HistoryPosition } from "@realmwatch/shared/read-model/history/history-position";
import type { HistorySource } from "@realmwatch/shared/read-model/history/history-source";
import type { StoredHistory } from "@realmwatch/shared/read-model/history/stored-history";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import type { CentreRedis } from "./ownership/centre-redis.ts";
import { decodeRecord, decodeStoredHistory, isRecordIntact, mayBeRecordOf } from "./redis-codec.ts";
import { readHistory } from "./redis-history-scripts.ts";
import { realmKeys } from "./redis-keys.ts";

type RedisHistoryOptions = {
  readonly redis: CentreRedis;
  readonly realms: readonly string[];
  /** Reason why the history of a realm cannot be read now, or is incomplete; empty when it can be read. */
  readonly unreadableReason: (realm: string) => string;
  /** Called when a stored record was altered. */
  readonly onDamage: (realm: string) => void;
  /** Finds the objects of records, for queries with a selector. */
  readonly findSubject: FindSelectorSubject;
};

/** Number of records of one realm in one read. */
const recordsPerRead = 200;

/**
 * History of all realms: each realm's list is read newest first, and the lists are merged by time. [RS12] A realm that
 * cannot be read is named in the answer and refuses no other realm's records.
 */
export function redisHistory(options: RedisHistoryOptions): HistorySource {
  const { redis, realms, unreadableReason, onDamage, findSubject } = options;
  async function search(query: HistoryQuery, before: HistoryPosition | undefined) {
    const realmsToRead = query.realm === "" ? realms : realms.filter((realm) => realm === query.realm);
    const cursors = await Promise.all(
      realmsToRead.map((realm) => {
        const why = unreadableReason(realm);
        return why === ""
          ? openHistoryCursor(realm, openHistoryReader(redis, realm, { query, before, onDamage }))
          : unreadCursor(realm, why);
      }),
    );
    const found: HistoryRecord[] = [];
    while (found.length <= query.pageSize) {
      const next = newestOf(cursors);
      if (next?.head === undefined) break;
      if (matchesHistory(next.head, query, findSubject)) found.push(next.head);
      await next.advance();
    }
    const unread = cursors.flatMap(({ realm, why }) => (why === "" ? [] : [{ realm, why }]));
    const held = new Map(cursors.flatMap(({ realm, stored }) => (stored ? [[realm, stored] as const] : [])));
    return { found, unread, held };
  }
  return {
    async history(query) {
      const before = parseHistoryPageToken(query.pageToken);
      if (!before.ok) return before;
      const { found, unread, held } = await search(query, before.value);
      const page = found.slice(0, query.pageSize);
      const last = page.at(-1);
      const hasMore = found.length > query.pageSize && last !== undefined;
      const nextPageToken = hasMore ? historyPageToken(last) : "";
      return ok({ records: page, nextPageToken, held, ...(unread.length === 0 ? {} : { unread }) });
    },
  };
}

type HistoryCursor = {
  readonly realm: string;
  /** Next record; undefined at the end, and after an error. */
  readonly head: HistoryRecord | undefined;
  /** Reason why records are missing; empty for none. */
  readonly why: string;
  /** Records that are stored of the realm; undefined when they cannot be read. */
  readonly stored: StoredHistory | undefined;
  advance(): Promise<void>;
};

const unreadCursor = (realm: string, why: string): HistoryCursor => ({
  realm,
  head: undefined,
  why,
  stored: undefined,
  advance: async () => {},
});

async function openHistoryCursor(realm: string, reader: HistoryReader): Promise<HistoryCursor> {
  const records = reader.newestFirst();
  let head: HistoryRecord | undefined;
  let why = "";
  const advance = async (): Promise<void> => {
    try {
      const next = await records.next();
      head = next.done ? undefined : next.value;
    } catch (error) {
      head = undefined;
      why = `history of realm ${realm} cannot be read: ${errorText(error)}`;
    }
  };
  await advance();
  return {
    realm,
    get head() {
      return head;
    },
    get why() {
      return why;
    },
    get stored() {
      return why === "" ? reader.stored() : undefined;
    },
    advance,
  };
}

function newestOf(cursors: readonly HistoryCursor[]): HistoryCursor | undefined {
  let newest: HistoryCursor | undefined;
  for (const cursor of cursors)
    if (cursor.head && (newest?.head === undefined || compareHistory(cursor.head, newest.head) > 0)) newest = cursor;
  return newest;
}

type Span = { readonly query: HistoryQuery; readonly before: HistoryPosition | undefined } & Pick<
  RedisHistoryOptions,
  "onDamage"
>;

type HistoryReader = {
  newestFirst(): AsyncGenerator<HistoryRecord, undefined>;
  /** Stored history as of the first read. */
  stored(): StoredHistory | undefined;
};

function openHistoryReader(redis: CentreRedis, realm: string, { query, before, onDamage }: Span): HistoryReader {
  const { history, meta } = realmKeys(redis.centre, realm);
  const { key, sinceMs = Number.NEGATIVE_INFINITY } = query;
  const untilMs = Math.min(before?.atMs ?? Number.MAX_SAFE_INTEGER, query.untilMs ?? Number.MAX_SAFE_INTEGER);
  let stored: StoredHistory | undefined;

  async function read(after: string): Promise<readonly string[]> {
    const reply = await redis.run(readHistory, [history, meta], [untilMs, after, recordsPerRead]);
    const [runs = "", trimmed = "", ...members] = Array.isArray(reply) ? reply.map(String) : [];
    stored ??= decodeStoredHistory(realm, runs, trimmed);
    return members;
  }

  async function* newestFirst(): AsyncGenerator<HistoryRecord, undefined> {
    let [last, newestMs] = ["", Number.POSITIVE_INFINITY];
    for (;;) {
      const members = await read(last);
      for (const member of members) {
        const isWanted = key === undefined || mayBeRecordOf(member, key);
        const record = isRecordIntact(member) ? isWanted && decodeRecord(member) : undefined;
        if (record === false) continue;
        if (record === undefined || record.atMs > newestMs) {
          onDamage(realm);
          throw new Error("a stored record was altered, and the history is read from NATS again");
        }
        newestMs = record.atMs;
        if (record.atMs < sinceMs) return;
        if (before === undefined || compareHistory(record, before) < 0) yield record;
      }
      last = members.at(-1) ?? "";
      if (members.length < recordsPerRead) return;
    }
  }
  return { newestFirst, stored: () => stored };
}
