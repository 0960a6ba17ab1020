import type { GetCheckCommandRequest } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmQueries } from "@realmwatch/shared/api/query/realm-queries";
import { valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { type AvailabilityOptions, queryAvailability } from "./availability-query.ts";
import {
  listObjectMetrics,
  type MetricRpcOptions,
  queryObjectMetric,
  queryPanel,
  requireObject,
} from "./metric-rpcs.ts";
import { refuseOtherRealm } from "./own-realm.ts";
import type { EngineChannel } from "./port-contract.ts";

type AgentQueryOptions = AvailabilityOptions & MetricRpcOptions & { readonly engine: EngineChannel };

/** Queries of an agent about its history, its datasources and its configuration. */
export const agentQueries = (options: AgentQueryOptions): RealmQueries => ({
  queryPanel: (request, context) => queryPanel(request, context, options),
  listObjectMetrics: (request, context) => listObjectMetrics(request, context, options),
  queryObjectMetric: (request, context) => queryObjectMetric(request, context, options),
  queryAvailability: (request) => queryAvailability(request, options),
  getCheckCommand: (request) => getCheckCommand(request, options),
});

/** [QS10] GetCheckCommand of an agent. */
async function getCheckCommand(
  request: GetCheckCommandRequest,
  { realm, engine }: Pick<AgentQueryOptions, "realm" | "engine">,
): Promise<{ command: string }> {
  refuseOtherRealm(realm, request.realm);
  return { command: valueOrThrow(await engine.request("checkCommand", requireObject(request))) };
}
