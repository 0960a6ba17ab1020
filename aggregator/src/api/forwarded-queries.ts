import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import type { HandlerContext } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { type QueryAvailabilityResponse, QueryService, type UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import { parseAvailabilityRange } from "@realmwatch/shared/api/query/parse-availability";
import type { RealmQueries } from "@realmwatch/shared/api/query/realm-queries";
import { errorOfCall, toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { forwardForCaller, timeoutFor } from "./forward-for-caller.ts";
import { type AskedRealms, type ObjectRequest, type RealmHolderOptions, RealmHolders } from "./realm-holders.ts";

type ForwardedQueryOptions = RealmHolderOptions & {
  /** Timeout for the answers of realms, ms; a shorter deadline of the caller applies. */
  readonly timeoutMs: number;
};

/** Range of an availability query whose default each realm chooses; only given times are checked here, ms. */
const anyRangeMs = 1;

/**
 * [MT9] Queries that the realms answer. A request without a realm goes to the one realm that has the panel or the object,
 * and a query for service levels to every realm that has the objective.
 */
export function forwardedQueries(options: ForwardedQueryOptions): RealmQueries {
  const { method } = QueryService;
  const holders = new RealmHolders(options);

  const forward =
    <I extends DescMessage, O extends DescMessage>(called: DescMethodUnary<I, O>) =>
    async (realm: string, request: MessageShape<I>, context: HandlerContext): Promise<MessageShape<O>> => {
      const message = create(called.input, { ...request, realm: "" } as MessageInitShape<I>);
      const timeoutMs = timeoutFor(context, options.timeoutMs);
      const call = { method: called, message, timeoutMs, context };
      const answer = await forwardForCaller(options.forwarder(), realm, call);
      if (answer.ok) return answer.value.message as MessageShape<O>;
      throw answer.error;
    };
  const toObject = <I extends DescMessage, O extends DescMessage>(called: DescMethodUnary<I, O>) => {
    const ask = forward(called);
    return async (request: MessageShape<I> & ObjectRequest, context: HandlerContext) =>
      ask(await holders.ofObject(request), request, context);
  };
  const askAvailability = forward(method.queryAvailability);

  return {
    queryPanel: async (request, context) =>
      forward(method.queryPanel)(await holders.ofPanel(request), request, context),
    listObjectMetrics: toObject(method.listObjectMetrics),
    queryObjectMetric: toObject(method.queryObjectMetric),
    getCheckCommand: toObject(method.getCheckCommand),
    async queryAvailability(request, context) {
      valueOrThrow(parseAvailabilityRange(request, { nowMs: options.clock.now(), rangeMs: anyRangeMs }));
      const ask = async (realm: string): Promise<QueryAvailabilityResponse> =>
        ofRealm(realm, await askAvailability(realm, request, context));
      if (request.realm !== "") return ask(holders.named(request.realm));
      const asked = await holders.ofObjective(request.slo);
      return joinAvailability(await Promise.allSettled(asked.realms.map(ask)), asked);
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
