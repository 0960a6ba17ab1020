import type { RealmQueries } from "@realmwatch/shared/api/query/realm-queries";
import { type AvailabilityOptions, queryAvailability } from "./availability-query.ts";
import { listObjectMetrics, type MetricRpcOptions, queryObjectMetric, queryPanel } from "./metric-rpcs.ts";

/** Queries of an agent about its history and its datasources. */
export const agentQueries = (options: AvailabilityOptions & MetricRpcOptions): RealmQueries => ({
  queryPanel: (request, context) => queryPanel(request, context, options),
  listObjectMetrics: (request, context) => listObjectMetrics(request, context, options),
  queryObjectMetric: (request, context) => queryObjectMetric(request, context, options),
  queryAvailability: (request) => queryAvailability(request, options),
});
