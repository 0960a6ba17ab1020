import type { GetCheckCommandRequest } from "@realmwatch/proto/svc/v1/query_pb";
import type { RealmQueries } from "@realmwatch/shared/api/query/realm-queries";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { describeCheckCommand } from "@realmwatch/shared/config/describe-check-command";
import { isChecked } from "@realmwatch/shared/config/plan";
import { formatKey, refOf } from "@realmwatch/shared/model/object-key";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { type AvailabilityOptions, queryAvailability } from "./availability-query.ts";
import {
  listObjectMetrics,
  type MetricRpcOptions,
  queryObjectMetric,
  queryPanel,
  requireObject,
} from "./metric-rpcs.ts";
import { refuseOtherRealm } from "./own-realm.ts";

/** Queries of an agent about its history, its datasources and its configuration. */
export const agentQueries = (options: AvailabilityOptions & MetricRpcOptions): RealmQueries => ({
  queryPanel: (request, context) => queryPanel(request, context, options),
  listObjectMetrics: (request, context) => listObjectMetrics(request, context, options),
  queryObjectMetric: (request, context) => queryObjectMetric(request, context, options),
  queryAvailability: (request) => queryAvailability(request, options),
  getCheckCommand: (request) => getCheckCommand(request, options),
});

/** [QS10] GetCheckCommand of an agent. */
function getCheckCommand(
  request: GetCheckCommandRequest,
  { realm }: { readonly realm: Pick<RealmReader, "name" | "plan"> },
): { command: string } {
  refuseOtherRealm(realm.name, request.realm);
  const key = requireObject(request);
  const { objects, commands } = realm.plan;
  const plan = objects.get(refOf(key));
  if (plan === undefined) throw toConnectError({ kind: "missing", what: formatKey(key) });
  if (!isChecked(plan)) return { command: "" };
  const owner = "host" in plan ? objects.get(plan.host) : plan;
  const host = owner !== undefined && "children" in owner ? owner : undefined;
  return { command: describeCheckCommand({ plan, host, commands }) };
}
