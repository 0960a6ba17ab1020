import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import {
  type GetCheckCommandRequest,
  type ListObjectMetricsRequest,
  ListStatusRequestSchema,
  type QueryAvailabilityResponse,
  type QueryObjectMetricRequest,
  type QueryPanelRequest,
  QueryService,
  type UnansweredRealm,
} from "@realmwatch/proto/svc/v1/query_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { parseAvailabilityRange } from "@realmwatch/shared/api/query/parse-availability";
import { parseStatusQuery } from "@realmwatch/shared/api/query/parse-query";
import type { RealmQueries } from "@realmwatch/shared/api/query/realm-queries";
import { errorOfCall, toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatKey } from "@realmwatch/shared/model/object-key";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { Forwarder } from "../forward/forwarder.ts";
import { timeoutFor } from "./bulk-service.ts";

type ForwardedQueryOptions = {
  readonly forwarder: () => Forwarder;
  readonly model: Pick<ReadModel, "catalogs" | "status" | "realms">;
  /** Timeout for the answers of realms, ms; a shorter deadline of the caller applies. */
  readonly timeoutMs: number;
  readonly clock: Pick<Clock, "now">;
};

/** `unknown`: realms whose service level objectives are not known. */
type AskedRealms = { readonly realms: readonly string[]; readonly unknown: readonly string[] };

/** Range of an availability query whose default each realm chooses; only given times are checked here, ms. */
const anyRangeMs = 1;

/**
 * [MT9] Queries that the realms answer. A request without a realm goes to the one realm that has the panel or the object,
 * and a query for service levels to every realm that has the objective.
 */
export function forwardedQueries(options: ForwardedQueryOptions): RealmQueries {
  const { model, clock } = options;
  const { method } = QueryService;

  async function forward<I extends DescMessage, O extends DescMessage>(
    called: DescMethodUnary<I, O>,
    { realm, request, context }: { realm: string; request: MessageInitShape<I>; context: HandlerContext },
  ): Promise<MessageShape<O>> {
    const answer = await options.forwarder().forward(realm, {
      method: called,
      message: create(called.input, request),
      requestId: callerOf(context).requestId,
      timeoutMs: timeoutFor(context, options.timeoutMs),
      signal: context.signal,
    });
    if (answer.ok) return answer.value.message as MessageShape<O>;
    throw answer.error instanceof ConnectError ? answer.error : toConnectError(answer.error);
  }

  function requireRealm(realm: string): string {
    if (options.forwarder().hasRealm(realm)) return realm;
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(realm)}` });
  }

  /** The only realm that has what a request names. */
  function onlyRealm(holders: readonly string[], what: string): string {
    const [only, ...others] = holders;
    if (only === undefined) throw toConnectError({ kind: "missing", what });
    if (others.length === 0) return requireRealm(only);
    const why = `is required: ${what} is in realms ${[...holders].sort().join(", ")}`;
    throw toConnectError({ kind: "malformed", field: "realm", why });
  }

  const catalogs = async (): Promise<readonly Catalog[]> => valueOrThrow(await model.catalogs());

  async function realmOfPanel({ panel, realm }: QueryPanelRequest): Promise<string> {
    if (realm !== "") return requireRealm(realm);
    const holders = (await catalogs()).filter(({ panels }) => panels.some(({ name }) => name === panel));
    return onlyRealm(
      holders.map((catalog) => catalog.realm),
      `panel ${JSON.stringify(panel)}`,
    );
  }

  async function realmOfObject({
    object,
    realm,
  }: ListObjectMetricsRequest | QueryObjectMetricRequest | GetCheckCommandRequest) {
    if (realm !== "") return requireRealm(realm);
    const key = valueOrThrow(objectKeyFromProto("object", object));
    if (object === undefined || key === undefined)
      throw toConnectError({ kind: "malformed", field: "object", why: "is required" });
    const query = valueOrThrow(
      parseStatusQuery(create(ListStatusRequestSchema, { object, omitRealms: true }), clock.now()),
    );
    const { rows } = valueOrThrow(await model.status(query));
    return onlyRealm(
      rows.map((row) => row.realm),
      formatKey(key),
    );
  }

  /** Realms that have the objective, and those whose objectives are not known, because they were not heard yet. */
  async function realmsToAsk(slo: string): Promise<AskedRealms> {
    const [known, views] = [await catalogs(), valueOrThrow(await model.realms())];
    const realms = known.filter(({ slos }) => slos.some(({ name }) => slo === "" || name === slo));
    const unknown = views.filter(({ name }) => !known.some(({ realm }) => realm === name));
    if (slo !== "" && realms.length === 0 && unknown.length === 0)
      throw toConnectError({ kind: "missing", what: `slo: service level objective ${JSON.stringify(slo)}` });
    return { realms: realms.map(({ realm }) => realm), unknown: unknown.map(({ name }) => name) };
  }

  return {
    async queryPanel(request, context) {
      const realm = await realmOfPanel(request);
      return forward(method.queryPanel, { realm, request: { ...request, realm: "" }, context });
    },
    async listObjectMetrics(request, context) {
      const realm = await realmOfObject(request);
      return forward(method.listObjectMetrics, { realm, request: { ...request, realm: "" }, context });
    },
    async queryObjectMetric(request, context) {
      const realm = await realmOfObject(request);
      return forward(method.queryObjectMetric, { realm, request: { ...request, realm: "" }, context });
    },
    async getCheckCommand(request, context) {
      const realm = await realmOfObject(request);
      return forward(method.getCheckCommand, { realm, request: { ...request, realm: "" }, context });
    },
    async queryAvailability(request, context) {
      valueOrThrow(parseAvailabilityRange(request, { nowMs: clock.now(), rangeMs: anyRangeMs }));
      const ask = (realm: string): Promise<QueryAvailabilityResponse> =>
        forward(method.queryAvailability, { realm, request: { ...request, realm: "" }, context });
      if (request.realm !== "") return ofRealm(request.realm, await ask(requireRealm(request.realm)));
      const asked = await realmsToAsk(request.slo);
      const answers = await Promise.allSettled(asked.realms.map(async (realm) => ofRealm(realm, await ask(realm))));
      return joinAvailability(answers, asked);
    },
  };
}

const ofRealm = (realm: string, response: QueryAvailabilityResponse): QueryAvailabilityResponse => ({
  ...response,
  slos: response.slos.map((slo) => ({ ...slo, realm })),
});

/** [SL11] Joins the answers of realms; those without an answer are listed. Throws when no realm answered. */
function joinAvailability(
  answers: readonly PromiseSettledResult<QueryAvailabilityResponse>[],
  { realms, unknown }: AskedRealms,
) {
  const failed = answers.flatMap((answer, at) => {
    if (answer.status === "fulfilled") return [];
    const { code, rawMessage } = errorOfCall(answer.reason);
    return [unansweredRealm(realms[at] ?? "", codeToString(code), rawMessage)];
  });
  const silent = unknown.map((realm) =>
    unansweredRealm(realm, "unavailable", `realm ${JSON.stringify(realm)} has not published its objectives yet`),
  );
  const unanswered = [...failed, ...silent];
  const found = answers.flatMap((answer) => (answer.status === "fulfilled" ? [answer.value] : []));
  const [first] = found;
  if (first === undefined && unanswered.length > 0)
    throw toConnectError({ kind: "unavailable", what: unanswered.map(({ message }) => message).join("; ") });
  return { ...(first === undefined ? {} : rangeOf(first)), slos: found.flatMap(({ slos }) => slos), unanswered };
}

const unansweredRealm = (realm: string, code: string, message: string): UnansweredRealm => ({
  $typeName: "svc.v1.UnansweredRealm",
  ...{ realm, code, message },
});

const rangeOf = ({ from, to }: QueryAvailabilityResponse) => ({
  ...(from === undefined ? {} : { from }),
  ...(to === undefined ? {} : { to }),
});
