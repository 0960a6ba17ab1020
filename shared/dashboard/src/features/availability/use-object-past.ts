import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { Client } from "@connectrpc/connect";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type HistoryRecord,
  HistoryType,
  type ListHistoryRequestSchema,
  type QueryService,
} from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useQuery } from "@tanstack/react-query";
import { useAppContext } from "../../api/context/app-context.tsx";
import { objectIdOf } from "../../api/status/object-key.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { useHistoryPollMs } from "../../api/status/use-history-poll.ts";
import { historyBeginMs } from "./history-begin.ts";
import type { Span } from "./status-spans.ts";

/** Records that tell the past of an object in a range, each list in the order of time. */
export type PastRecords = {
  readonly states: readonly HistoryRecord[];
  readonly statesBefore: readonly HistoryRecord[];
  /** Downtimes of the object, with the newest ones before the range. */
  readonly ownEdges: readonly HistoryRecord[];
  /** Downtimes of its host; empty unless the object is a service. */
  readonly hostEdges: readonly HistoryRecord[];
  readonly gaps: readonly HistoryRecord[];
  /**
   * Time from which the records are complete, Unix ms: later than the range's beginning when there are too many, or when
   * the history of the realm begins later.
   */
  readonly completeFromMs: number;
};

const recordsPerPage = 1_000;
/** Most pages of one kind of record that are read: 10 000 changes of one object. */
const maxPages = 10;
/** Newest records before a range among which one with a hard status is expected. */
const recordsBefore = 20;

const edgeTypes = [HistoryType.DOWNTIME_START, HistoryType.DOWNTIME_END, HistoryType.DOWNTIME_CANCELLED];

/** Step in which the beginning of the read range moves on, ms, so that few polls have to read the range anew. */
const stepMs = 600_000;

/** Reads the records of an object in a range, and of up to 10 min before it, again after each change of its row. */
export function useObjectPast(
  { realm, key: object, row }: StatusItem,
  { fromMs, toMs }: Span,
): { readonly data: PastRecords | undefined; readonly error: Error | null } {
  const { query } = useAppContext();
  const readFromMs = Math.floor(fromMs / stepMs) * stepMs;
  const range = { fromMs: readFromMs, toMs: readFromMs + (toMs - fromMs) + stepMs };
  const refetchInterval = useHistoryPollMs(row);
  const { data, error } = useQuery({
    queryKey: ["object past", objectIdOf(realm, object), range],
    queryFn: ({ signal }) => readPast({ query, realm, object, signal }, range),
    placeholderData: (before) => before,
    refetchInterval,
  });
  return { data, error };
}

type HistoryConditions = MessageInitShape<typeof ListHistoryRequestSchema>;
type Reading = {
  query: Client<typeof QueryService>;
  realm: string;
  object: ObjectKey;
  signal: AbortSignal;
};

async function readPast({ query, realm, object, signal }: Reading, range: Span): Promise<PastRecords> {
  const own = { realm, object: objectKeyToProto(object) };
  const host =
    object.kind === "service" ? { realm, object: objectKeyToProto({ kind: "host", name: object.host }) } : undefined;
  const within = { since: timestampFromMs(range.fromMs) };
  const before = { until: timestampFromMs(range.fromMs) };
  const all = (conditions: HistoryConditions) => readAll(query, { ...conditions, ...within }, signal);
  const newest = async (conditions: HistoryConditions): Promise<readonly HistoryRecord[]> => {
    const request = { ...conditions, ...before, pageSize: recordsBefore };
    return (await query.listHistory(request, { signal })).records.toReversed();
  };
  const edgesOf = async (who: HistoryConditions | undefined): Promise<readonly HistoryRecord[]> => {
    if (who === undefined) return [];
    const types = edgeTypes;
    return [...(await newest({ ...who, types })), ...(await all({ ...who, types })).records];
  };
  const types = [HistoryType.STATE];
  const [states, statesBefore, ownEdges, hostEdges, gaps] = await Promise.all([
    all({ ...own, types }),
    newest({ ...own, types }),
    edgesOf(own),
    edgesOf(host),
    all({ realm, types: [HistoryType.GAP] }),
  ]);
  const [oldest] = states.records;
  const oldestMs = optionalMs(oldest?.at) ?? range.toMs;
  const hasOlder = async (atMs: number): Promise<boolean> =>
    (await query.listHistory({ realm, until: timestampFromMs(atMs), pageSize: 1 }, { signal })).records.length > 0;
  const completeFromMs = async (): Promise<number> => {
    if (states.isCut) return oldestMs;
    if (statesBefore.length > 0) return range.fromMs;
    // Before its first result an object has no state, wherever history begins.
    return oldest?.previousStatus === Status.PENDING
      ? oldestMs
      : historyBeginMs(hasOlder, { ...range, toMs: oldestMs });
  };
  return {
    states: states.records,
    statesBefore,
    ownEdges,
    hostEdges,
    gaps: gaps.records,
    completeFromMs: await completeFromMs(),
  };
}

async function readAll(
  query: Client<typeof QueryService>,
  conditions: HistoryConditions,
  signal: AbortSignal,
): Promise<{ readonly records: readonly HistoryRecord[]; readonly isCut: boolean }> {
  const records: HistoryRecord[] = [];
  let pageToken = "";
  for (let page = 0; page < maxPages; page += 1) {
    const answer = await query.listHistory({ ...conditions, pageSize: recordsPerPage, pageToken }, { signal });
    records.push(...answer.records);
    pageToken = answer.nextPageToken;
    if (pageToken === "") break;
  }
  return { records: records.reverse(), isCut: pageToken !== "" };
}
