import { create } from "@bufbuild/protobuf";
import type { ConnectError, HandlerContext } from "@connectrpc/connect";
import {
  type ListHistoryRequest,
  ListHistoryRequestSchema,
  type ListHistoryResponse,
  QueryService,
} from "@realmwatch/proto/svc/v1/query_pb";
import { RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { matchesHistoryText, realmTokenAt } from "@realmwatch/shared/read-model/history/history-filter";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { formatSelector, type Selector } from "@realmwatch/shared/text/selector/selector";
import { realmEventFromProto } from "@realmwatch/shared/wire/history";
import type { Forwarder } from "../forward/forwarder.ts";
import type { PositionedQuery, RecordPage } from "../realms/history-page.ts";
import { forwardForCaller, timeoutFor } from "./forward-for-caller.ts";
import { overridableRequirements, selectorForRealm } from "./restrict-selector.ts";

export type RealmHistoryOptions = {
  readonly forwarder: () => Forwarder;
  readonly model: Pick<ReadModel, "objects" | "realms">;
  /** Timeout for the answers of realms, ms; a shorter deadline of the caller applies. */
  readonly timeoutMs: number;
};

type HistoryCall = PositionedQuery & {
  readonly options: RealmHistoryOptions;
  readonly request: ListHistoryRequest;
  readonly context: HandlerContext;
};

/** Asks a realm for the records of a page. */
export async function askRealmHistory(
  realm: string,
  { options, query, before, request, context }: HistoryCall,
): Promise<Result<RecordPage, Refusal | ConnectError>> {
  const selector = await selectorIn(realm, query.selector, options.model);
  if (!selector.ok) return selector;
  if (selector.value === undefined) return ok({ records: [], hasMore: false });
  const answer = await forwardForCaller(options.forwarder(), realm, {
    method: QueryService.method.listHistory,
    message: create(ListHistoryRequestSchema, {
      ...request,
      realm: "",
      selector: selector.value,
      pageSize: query.pageSize,
      pageToken: before === undefined ? "" : realmTokenAt(realm, before),
    }),
    timeoutMs: timeoutFor(context, options.timeoutMs),
    context,
  });
  const page = answer.ok ? pageOf(realm, answer.value.message as ListHistoryResponse) : answer;
  // An agent of a version before the search leaves out its conditions.
  if (page.ok && !page.value.records.every((record) => matchesHistoryText(record, query)))
    return fail({
      kind: "unavailable",
      what: `realm ${JSON.stringify(realm)} runs a version that cannot search history`,
    });
  return page;
}

/** Selector for the realm itself, empty for all objects; undefined when it can select none of them. */
async function selectorIn(
  realm: string,
  selector: Selector | undefined,
  model: RealmHistoryOptions["model"],
): Promise<Result<string | undefined, Refusal>> {
  if (selector === undefined) return ok("");
  const realms = await model.realms();
  if (!realms.ok) return realms;
  const labels = realms.value.find(({ name }) => name === realm)?.labels ?? {};
  const otherValues = new Map<string, ReadonlySet<string>>();
  for (const { key, values } of overridableRequirements(selector, labels)) {
    const others: Selector = { requirements: [{ kind: "notin", key, values }] };
    const found = await model.objects({ kinds: [], selector: others, realm, pageSize: 0, pageToken: "" });
    if (!found.ok) return found;
    otherValues.set(key, new Set(found.value.rows.flatMap(({ about }) => about.labels[key] ?? [])));
  }
  const own = selectorForRealm(selector, { name: realm, labels, otherValues });
  return ok(own && formatSelector(own));
}

function pageOf(realm: string, { records, nextPageToken }: ListHistoryResponse): Result<RecordPage, Refusal> {
  const decoded = records.map((record) =>
    realmEventFromProto(create(RealmEventSchema, { realm, seq: sequenceOf(record.id), record })),
  );
  const unreadable = decoded.find((record) => !record.ok);
  if (unreadable !== undefined)
    return fail({ kind: "unavailable", what: `realm ${JSON.stringify(realm)} answered records that cannot be read` });
  return ok({
    records: decoded.flatMap((record) => (record.ok ? [record.value] : [])),
    hasMore: nextPageToken !== "",
  });
}

/** Sequence number in the id of a record; one that cannot be read is beyond all numbers, and refused. */
const sequenceOf = (id: string): bigint => (/^\d{1,16}$/.test(id) ? BigInt(id) : 2n ** 63n);
