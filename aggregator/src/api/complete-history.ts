import { ConnectError } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { AnswerHistory } from "@realmwatch/shared/api/query/query-service";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { historyPageToken, parseHistoryPageToken } from "@realmwatch/shared/read-model/history/history-filter";
import { heldSinceMs, noStoredHistory, type StoredHistory } from "@realmwatch/shared/read-model/history/stored-history";
import type { HistoryAnswer, HistoryQuery, ReadModel, UnreadHistory } from "@realmwatch/shared/read-model/read-model";
import {
  compareMissing,
  type HistoryClaim,
  joinHistoryPages,
  type MissingHistory,
  mayBeInPage,
  missingHistory,
  missingRecordsIn,
  type PositionedQuery,
  type RecordPage,
} from "../realms/history-page.ts";
import { askRealmHistory, type RealmHistoryOptions } from "./realm-history.ts";

type CompleteHistoryOptions = RealmHistoryOptions & {
  readonly model: Pick<ReadModel, "history">;
  /** History records that each realm has; undefined for a realm that is not heard now. */
  readonly claims: () => ReadonlyMap<string, HistoryClaim | undefined>;
};

/** Number of realms that are asked at the same time. */
const askedTogether = 16;

/**
 * [FD77] Answers queries of history from what is stored. Only realms of which records of the page may be missing are
 * asked; one that does not answer is named, with the time since which its records are stored.
 */
export function completeHistory(options: CompleteHistoryOptions): AnswerHistory {
  return async (query, call) => {
    const before = parseHistoryPageToken(query.pageToken);
    if (!before.ok) return before;
    const answer = await options.model.history(query);
    if (!answer.ok) return answer;
    const asked: PositionedQuery = { query, before: before.value };
    const realms = realmsOf(answer.value, options.claims(), query.realm);
    const stored = { records: answer.value.records, hasMore: answer.value.nextPageToken !== "" };
    const completed = await askRealms(stored, missingParts(realms, asked), {
      pageSize: query.pageSize,
      ask: (realm) => askRealmHistory(realm, { options, ...asked, ...call }),
    });
    const page = withMissingRecords(completed, realms, asked);
    const unread = realms.flatMap((realm) => unreadOf(realm, completed.failed.get(realm.name)));
    return answerOf(page, unread, { query, realms: realms.length });
  };
}

type StoredRealm = {
  readonly name: string;
  /** Undefined when the records cannot be read. */
  readonly stored: StoredHistory | undefined;
  readonly claim: HistoryClaim | undefined;
};

function realmsOf(
  { held, unread = [] }: HistoryAnswer,
  claims: ReadonlyMap<string, HistoryClaim | undefined>,
  wanted: string,
): readonly StoredRealm[] {
  const unreadable = new Set(unread.map(({ realm }) => realm));
  return [...claims]
    .filter(([name]) => wanted === "" || name === wanted)
    .map(([name, claim]) => ({
      name,
      stored: unreadable.has(name) ? undefined : (held?.get(name) ?? noStoredHistory),
      claim,
    }));
}

type MissingPart = { readonly realm: string; readonly missing: MissingHistory };

const missingParts = (realms: readonly StoredRealm[], { query, before }: PositionedQuery): readonly MissingPart[] =>
  realms
    .flatMap(({ name, ...known }) => {
      const missing = missingHistory(name, known, { ...query, before });
      return missing === undefined ? [] : [{ realm: name, missing }];
    })
    .sort((a, b) => compareMissing(a.missing, b.missing));

type CompletedPage = RecordPage & {
  readonly answered: ReadonlySet<string>;
  readonly failed: ReadonlyMap<string, Refusal | ConnectError>;
};

/** Asks realms until the page has all records that may belong on it. */
async function askRealms(
  stored: RecordPage,
  parts: readonly MissingPart[],
  {
    pageSize,
    ask,
  }: { readonly pageSize: number; ask(realm: string): Promise<Result<RecordPage, Refusal | ConnectError>> },
): Promise<CompletedPage> {
  let page = stored;
  let waiting = parts;
  const answered = new Set<string>();
  const failed = new Map<string, Refusal | ConnectError>();
  for (;;) {
    const due = waiting.filter(({ missing }) => mayBeInPage(missing, page, pageSize)).slice(0, askedTogether);
    // Records that are older than a full page are asked for when the next page is.
    if (due.length === 0) return { ...page, hasMore: page.hasMore || waiting.length > 0, answered, failed };
    waiting = waiting.filter((part) => !due.includes(part));
    const answers = await Promise.all(due.map(({ realm }) => ask(realm)));
    for (const [at, { realm }] of due.entries()) {
      const result = answers[at];
      if (result?.ok) {
        answered.add(realm);
        page = joinHistoryPages(result.value, page, pageSize);
      } else if (result !== undefined) failed.set(realm, result.error);
    }
  }
}

function withMissingRecords(page: CompletedPage, realms: readonly StoredRealm[], asked: PositionedQuery): RecordPage {
  const gaps = realms.flatMap(({ name: realm, stored, claim }) =>
    stored === undefined
      ? []
      : missingRecordsIn({ realm, stored, claim }, asked, { page, isAnswered: page.answered.has(realm) }),
  );
  return gaps.length === 0 ? page : joinHistoryPages(page, { records: gaps, hasMore: false }, asked.query.pageSize);
}

function unreadOf({ name, stored }: StoredRealm, why: Refusal | ConnectError | undefined): readonly UnreadHistory[] {
  if (why === undefined) return [];
  const { code, rawMessage } = why instanceof ConnectError ? why : toConnectError(why);
  const sinceMs = stored && heldSinceMs(stored);
  const since = sinceMs === undefined ? {} : { heldSinceMs: sinceMs };
  return [{ realm: name, code: codeToString(code), why: rawMessage, ...since }];
}

/** Answer to a query; refused when none of its realms has anything to show: it would look like a quiet time. */
function answerOf(
  { records, hasMore }: RecordPage,
  unread: readonly UnreadHistory[],
  { query, realms }: { readonly query: HistoryQuery; readonly realms: number },
): Result<HistoryAnswer, Refusal> {
  const [first] = unread;
  const isUnknown = unread.length === realms && unread.every((one) => one.heldSinceMs === undefined);
  if (first !== undefined && isUnknown && records.length === 0 && query.pageToken === "")
    return fail({ kind: "unavailable", what: first.why });
  const last = records.at(-1);
  const nextPageToken = hasMore && last !== undefined ? historyPageToken(last) : "";
  return ok({ records, nextPageToken, ...(unread.length === 0 ? {} : { unread }) });
}
