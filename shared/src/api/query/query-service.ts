import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type ListHistoryRequest,
  ListStatusResponseSchema,
  NoteSchema,
  type QueryService,
  UnansweredRealmSchema,
  type UnmappedAlertSchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { Catalog, SelectorView } from "../../model/catalog.ts";
import type { Clock } from "../../model/clock.ts";
import type { HistoryRecord } from "../../model/history.ts";
import type { PairStatus } from "../../model/pair-status.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { Identity } from "../../model/role.ts";
import type { ProgramToggles } from "../../model/toggles.ts";
import { buildCommit, cueVersion } from "../../model/version.ts";
import type {
  CurrentRealms,
  HistoryAnswer,
  HistoryQuery,
  ReadModel,
  RowTotals,
  StatusAnswer,
  StatusSummary,
  UnreadHistory,
} from "../../read-model/read-model.ts";
import { isOverdue } from "../../read-model/rows/row-filter.ts";
import { sharedPolls } from "../../read-model/rows/shared-polls.ts";
import type { Row } from "../../row/row.ts";
import { objectRowToProto, statusRowToProto } from "../../row/row-codec.ts";
import { contactCodec, entriesOfRealm, panelCodec, sinkToProto, viewCodec } from "../../wire/catalog.ts";
import { encodedMessage } from "../../wire/encoded-message.ts";
import { objectKindCodec, statusCodec } from "../../wire/fields/enums.ts";
import { objectKeyToProto } from "../../wire/fields/object-ref.ts";
import { timestampToProto } from "../../wire/fields/time.ts";
import { historyRecordToProto } from "../../wire/history.ts";
import { pairToProto } from "../../wire/pair-status.ts";
import { realmToProto } from "../../wire/realm.ts";
import { togglesCodec } from "../../wire/toggles.ts";
import { callerOf } from "../access/caller.ts";
import { valueOrThrow } from "../rpc/refusal-to-code.ts";
import { type RowMarks, rowEncoder } from "./encoded-rows.ts";
import { notesHistoryRequest, parseHistoryQuery, parseObjectsQuery, parseStatusQuery } from "./parse-query.ts";
import type { RealmQueries } from "./realm-queries.ts";

/** Description of the program that serves the API. */
export type ServerInfo = {
  /** `vX.Y.Z` for a release, else `dev`. */
  readonly version: string;
  readonly authEnabled: boolean;
  readonly readOnly: boolean;
  /** Realm of an agent; empty on an aggregator. */
  readonly realm: string;
  readonly aggregator: boolean;
  /** Undefined on an aggregator. */
  readonly toggles: ProgramToggles | undefined;
  /** True when a default datasource serves the metrics of objects; absent on an aggregator. */
  readonly objectMetrics?: boolean;
  /** Version of CUE that evaluates documents. Default: that of the built-in one. */
  readonly cueVersion?: string;
  /** Alerts of receivers that are about no object, on an aggregator with their realms. */
  readonly unmappedAlerts?: MessageInitShape<typeof UnmappedAlertSchema>[];
};

type QueryServiceOptions = {
  readonly model: ReadModel;
  /** Called for each request, because toggles change. */
  readonly serverInfo: () => ServerInfo | Promise<ServerInfo>;
  readonly clock: Pick<Clock, "now">;
  /** Returns what the caller may read of the warnings of the start. Default: none. */
  readonly warnings?: (caller: Identity | undefined) => readonly string[];
  /** Queries about metrics and availability. */
  readonly realmQueries: RealmQueries;
  /** Answers queries of history. Default: the read model. */
  readonly history?: AnswerHistory;
  /** Returns the pair that this agent is a member of. Default: none. */
  readonly pair?: () => Promise<PairStatus | undefined>;
  /** Views of no realm. Default: none. */
  readonly ownViews?: () => Promise<readonly SelectorView[]>;
};

/** Answers a query of history; `request` is the one that it was parsed from. */
export type AnswerHistory = (
  query: HistoryQuery,
  call: { readonly request: ListHistoryRequest; readonly context: HandlerContext },
) => Promise<Result<HistoryAnswer, Refusal>>;

/**
 * QueryService of agent and aggregator: parses a request, queries the read model and converts the result to protobuf.
 */
export function queryService(options: QueryServiceOptions): ServiceImpl<typeof QueryService> {
  const { model, serverInfo, clock, realmQueries, ownViews = async () => [] } = options;
  const { warnings = () => [], history = (query) => model.history(query) } = options;
  const ofCatalogs = async <T>(items: (catalog: Catalog) => readonly T[]): Promise<T[]> =>
    valueOrThrow(await model.catalogs()).flatMap(items);
  const readHistory = async (request: ListHistoryRequest, context: HandlerContext): Promise<HistoryAnswer> =>
    valueOrThrow(await history(valueOrThrow(parseHistoryQuery(request)), { request, context }));
  return {
    listStatus: statusLister(options),
    async listHistory(request, context) {
      const { records, nextPageToken, unread = [] } = await readHistory(request, context);
      return { records: records.map(historyRecordToProto), nextPageToken, unanswered: unread.map(unreadToProto) };
    },
    async listNotes(request, context) {
      const { records, nextPageToken, unread = [] } = await readHistory(notesHistoryRequest(request), context);
      // [CM5] A record that stands for missing records is left out: it is not a note.
      const notes = records.flatMap((record) => (record.type === "note" ? [noteToProto(record)] : []));
      return { notes, nextPageToken, unanswered: unread.map(unreadToProto) };
    },
    async listObjects(request) {
      const answer = valueOrThrow(await model.objects(valueOrThrow(parseObjectsQuery(request))));
      const { rows, nextPageToken, currentRealms } = answer;
      const marks = rowMarks(currentRealms, clock.now());
      return { rows: rows.map((row) => ({ ...objectRowToProto(row), ...marks(row) })), nextPageToken };
    },
    async listContacts() {
      return { contacts: await ofCatalogs(({ contacts, realm }) => entriesOfRealm(contactCodec, contacts, realm)) };
    },
    async listViews() {
      const ofRealms = await ofCatalogs(({ views, realm }) => entriesOfRealm(viewCodec, views, realm));
      return { views: [...ofRealms, ...entriesOfRealm(viewCodec, await ownViews(), "")] };
    },
    async listSinks() {
      return { sinks: await ofCatalogs(({ sinks, realm }) => sinks.map((sink) => sinkToProto(sink, realm))) };
    },
    async listPanels() {
      return { panels: await ofCatalogs(({ panels, realm }) => entriesOfRealm(panelCodec, panels, realm)) };
    },
    async getServerInfo(_, context) {
      const { toggles, ...rest } = await serverInfo();
      const shown = [...warnings(callerOf(context).identity)];
      const info = { commit: buildCommit, cueVersion, ...rest, warnings: shown };
      return toggles === undefined ? info : { ...info, toggles: togglesCodec.toProto(toggles) };
    },
    ...realmQueries,
  };
}

/** Creates `listStatus`. Calls with the same answer share its messages. */
function statusLister({ model, clock, pair }: QueryServiceOptions): ServiceImpl<typeof QueryService>["listStatus"] {
  const status = sharedPolls(model);
  /** Messages of answers by their form, of which several calls may get the same. */
  const messages = {
    read: new WeakMap<StatusAnswer, StatusMessage>(),
    binary: new WeakMap<StatusAnswer, StatusMessage>(),
  };
  const encodeRow = rowEncoder();
  const encodedAnswer = (answer: StatusAnswer, marks: MarksOfRow): StatusMessage => {
    const message = statusResponseToProto({ ...answer, rows: [] }, marks);
    const rows = answer.rows.map((row) => encodeRow(row, marks(row)));
    return encodedMessage(ListStatusResponseSchema, Object.assign(message, { $unknown: rows }));
  };
  return async (request, context) => {
    const query = valueOrThrow(parseStatusQuery(request, clock.now()));
    const answer = valueOrThrow(await status(query));
    const isBinary = !(context.requestHeader.get("content-type") ?? "json").includes("json");
    const made = messages[isBinary ? "binary" : "read"];
    const known = made.get(answer);
    if (known !== undefined) return withPair(known, await pair?.());
    const marks = rowMarks(answer.currentRealms, query.nowMs);
    const message = isBinary ? encodedAnswer(answer, marks) : statusResponseToProto(answer, marks);
    made.set(answer, message);
    return withPair(message, await pair?.());
  };
}

type MarksOfRow = (row: Row) => RowMarks;

/** [FD3] Marks of rows at `nowMs`, Unix ms: a row is stale unless its realm is current. */
function rowMarks(current: CurrentRealms, nowMs: number): MarksOfRow {
  if (current === undefined) return (row) => ({ overdue: isOverdue(row, nowMs) });
  return (row) => ({ overdue: isOverdue(row, nowMs), stale: !current.has(row.realm) });
}

type StatusMessage = ReturnType<typeof statusResponseToProto>;

/** The same message with the state of the pair, which changes all the time. */
const withPair = (message: StatusMessage, pair: PairStatus | undefined): StatusMessage =>
  pair === undefined
    ? message
    : Object.assign(Object.create(Object.getPrototypeOf(message)), message, {
        pair: pairToProto(pair),
        ...(pair.asOfMs !== undefined && { asOf: timestampToProto(pair.asOfMs) }),
      });

function statusResponseToProto(answer: StatusAnswer, marks: MarksOfRow) {
  const { rows, summary, removed, realms, realmSummaries = [], labelCounts = [], currentRealms: _, ...rest } = answer;
  return create(ListStatusResponseSchema, {
    ...rest,
    rows: rows.map((row) => ({ ...statusRowToProto(row), ...marks(row) })),
    realms: realms.map(realmToProto),
    summary: summaryToProto(summary),
    realmSummaries: realmSummaries.map(({ realm, totals }) => ({ realm, summary: countsToProto(totals) })),
    labelCounts: labelCounts.map(({ worst, ...counted }) => ({ ...counted, worst: statusCodec.toProto(worst) })),
    removed: removed.map(({ realm, key }) => ({ realm, object: objectKeyToProto(key) })),
  });
}

const countsToProto = ({ counts, ...totals }: RowTotals) => ({
  ...totals,
  counts: counts.map(({ kind, status, count }) => ({
    kind: objectKindCodec.toProto(kind),
    status: statusCodec.toProto(status),
    count,
  })),
});

const summaryToProto = ({ lastKnown, ...totals }: StatusSummary) => ({
  ...countsToProto(totals),
  ...(lastKnown === undefined ? {} : { lastKnown: countsToProto(lastKnown) }),
});

const noteToProto = (record: HistoryRecord) => {
  const { at, realm, author, onBehalfOf, comment: text, commentId: id } = historyRecordToProto(record);
  return create(NoteSchema, { id, realm, author, onBehalfOf, text, ...(at && { at }) });
};

const unreadToProto = ({ realm, why: message, code = "unavailable", heldSinceMs }: UnreadHistory) =>
  create(UnansweredRealmSchema, { realm, code, message, heldSince: timestampToProto(heldSinceMs) });
