import type { ServiceImpl } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";

/**
 * RPCs of QueryService that only the realm itself can answer, from its history, its datasources and its configuration. An
 * agent answers them, an aggregator forwards them.
 */
export type RealmQueries = Pick<
  ServiceImpl<typeof QueryService>,
  "queryPanel" | "listObjectMetrics" | "queryObjectMetric" | "queryAvailability" | "getCheckCommand"
>;
