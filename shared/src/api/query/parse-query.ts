import { create } from "@bufbuild/protobuf";
import {
  HistoryType,
  type ListHistoryRequest,
  ListHistoryRequestSchema,
  type ListNotesRequest,
  type ListObjectsRequest,
  type ListStatusRequest,
} from "@realmwatch/proto/svc/v1/query_pb";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import {
  type HistoryQuery,
  type ObjectsQuery,
  type StatusQuery,
  type StatusSort,
  statusSorts,
} from "../../read-model/read-model.ts";
import { formatSelectorError, parseSelector, type Selector } from "../../text/selector/selector.ts";
import { type EnumCodec, historyTypeCodec, objectKindCodec, statusCodec } from "../../wire/fields/enums.ts";
import { type FieldReader, fieldReader } from "../../wire/fields/field-reader.ts";
import { objectKeyFromProto } from "../../wire/fields/object-ref.ts";
import { timestampFromProto } from "../../wire/fields/time.ts";

/** Number of records of a page of history: `default` for a page size of 0, and the maximum. */
const historyPageSize = { default: 100, max: 1000 } as const;
/** Maximum length of a search text, characters; longer than any name. */
const maxSearchLength = 256;

/** @param nowMs current time, Unix ms; later times are refused */
export function parseStatusQuery(request: ListStatusRequest, nowMs: number): Result<StatusQuery, Refusal> {
  const reader = fieldReader();
  return reader.finish({
    key: reader.take(objectKeyFromProto("object", request.object), undefined),
    selector: reader.take(readSelector(request.selector), undefined),
    realm: request.realm,
    kinds: readWords(reader, "kinds", { wire: request.kinds, codec: objectKindCodec }),
    statuses: readWords(reader, "statuses", { wire: request.statuses, codec: statusCodec }),
    problemsOnly: request.problemsOnly,
    unhandledOnly: request.unhandledOnly,
    hardOnly: request.hardOnly,
    overdueAtMs: request.overdueOnly ? nowMs : undefined,
    mutedOnly: request.mutedOnly,
    withDowntimes: request.withDowntimes,
    search: reader.take(readSearch(request.search), ""),
    searchOutput: request.searchOutput,
    sort: reader.take(readSort(request.sort), defaultSort),
    pageSize: reader.take(readCount("pageSize", request.pageSize), 0),
    pageToken: request.pageToken,
    pageOffset: reader.take(readCount("pageOffset", request.pageOffset), 0),
    changedSince: request.changedSince,
    changesOnly: request.changesOnly,
    summaryOnly: request.summaryOnly,
    byRealm: request.byRealm,
    byLabel: request.byLabel,
    omitRealms: request.omitRealms,
    atMs: reader.take(readAt(request, nowMs), undefined),
    nowMs,
  });
}

export function parseObjectsQuery(request: ListObjectsRequest): Result<ObjectsQuery, Refusal> {
  const reader = fieldReader();
  return reader.finish({
    kinds: readWords(reader, "kinds", { wire: request.kinds, codec: objectKindCodec }),
    selector: reader.take(readSelector(request.selector), undefined),
    realm: request.realm,
    pageSize: reader.take(readCount("pageSize", request.pageSize), 0),
    pageToken: request.pageToken,
  });
}

export function parseHistoryQuery(request: ListHistoryRequest): Result<HistoryQuery, Refusal> {
  const reader = fieldReader();
  const pageSize = reader.take(readCount("pageSize", request.pageSize), 0);
  return reader.finish({
    key: reader.take(objectKeyFromProto("object", request.object), undefined),
    selector: reader.take(readSelector(request.selector), undefined),
    realm: request.realm,
    types: readWords(reader, "types", { wire: request.types, codec: historyTypeCodec }),
    sinceMs: reader.take(timestampFromProto("since", request.since), undefined),
    untilMs: reader.take(timestampFromProto("until", request.until), undefined),
    actor: request.actor,
    contact: request.contact,
    search: reader.take(readSearch(request.search), ""),
    pageSize: pageSize === 0 ? historyPageSize.default : Math.min(pageSize, historyPageSize.max),
    pageToken: request.pageToken,
  });
}

/** Request of ListHistory for notes. */
export const notesHistoryRequest = ({
  since,
  until,
  realm,
  pageSize,
  pageToken,
}: ListNotesRequest): ListHistoryRequest =>
  create(ListHistoryRequestSchema, {
    types: [HistoryType.NOTE],
    ...(since && { since }),
    ...(until && { until }),
    ...{ realm, pageSize, pageToken },
  });

function readAt({ at, changedSince }: ListStatusRequest, nowMs: number): Result<number | undefined, Refusal> {
  const atMs = timestampFromProto("at", at);
  if (!atMs.ok || atMs.value === undefined) return atMs;
  if (changedSince !== "") return malformed("at", "cannot be given with changedSince");
  return atMs.value <= nowMs ? atMs : malformed("at", "is in the future");
}

const defaultSort: StatusSort = { by: "severity", reverse: false };

function readSort(text: string): Result<StatusSort, Refusal> {
  if (text === "") return ok(defaultSort);
  const reverse = text.startsWith("-");
  const by = statusSorts.find((sort) => sort === (reverse ? text.slice(1) : text));
  if (by !== undefined) return ok({ by, reverse });
  return malformed(
    "sort",
    `is ${JSON.stringify(text)}; use one of ${statusSorts.join(", ")}, with a leading "-" for the reverse order`,
  );
}

/** An empty field selects all objects; a field of blanks is an invalid selector and refused. */
function readSelector(text: string): Result<Selector | undefined, Refusal> {
  if (text === "") return ok(undefined);
  const parsed = parseSelector(text);
  return parsed.ok ? parsed : malformed("selector", formatSelectorError(parsed.error));
}

const readSearch = (text: string): Result<string, Refusal> =>
  text.length <= maxSearchLength ? ok(text) : malformed("search", `is longer than ${maxSearchLength} characters`);

const readCount = (field: string, count: number): Result<number, Refusal> =>
  count >= 0 ? ok(count) : malformed(field, "is below 0");

type WireWords<Word extends string, Wire extends number> = {
  readonly wire: readonly Wire[];
  readonly codec: EnumCodec<Word, Wire>;
};

const readWords = <Word extends string, Wire extends number>(
  reader: FieldReader,
  field: string,
  { wire, codec }: WireWords<Word, Wire>,
): readonly Word[] =>
  wire.flatMap((number, at) => {
    const word = reader.need<Word | undefined>(`${field}[${at}]`, codec.fromProto(number), undefined);
    return word === undefined ? [] : [word];
  });
