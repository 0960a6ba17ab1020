import type { HandlerContext } from "@connectrpc/connect";
import type {
  ListObjectMetricsRequest,
  QueryObjectMetricRequest,
  QueryPanelRequest,
} from "@realmwatch/proto/svc/v1/query_pb";
import { parseWindow } from "@realmwatch/shared/api/query/parse-window";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { MetricSeries } from "../datasources/datasource.ts";
import type { MetricQueries } from "./metric-queries.ts";
import { refuseOtherRealm } from "./own-realm.ts";

export type MetricRpcOptions = {
  /** Name of the agent's realm. */
  readonly realm: string;
  /** Opens the queries with the first call. */
  readonly metricQueries: () => Promise<MetricQueries>;
  readonly clock: Pick<Clock, "now">;
};

/** QueryPanel of an agent. */
export async function queryPanel(
  request: QueryPanelRequest,
  { signal }: Pick<HandlerContext, "signal">,
  { realm, metricQueries, clock }: MetricRpcOptions,
) {
  refuseOtherRealm(realm, request.realm);
  const window = valueOrThrow(parseWindow(request, clock.now()));
  const { series, unit } = valueOrThrow(await (await metricQueries()).panel(request.panel, window, signal));
  return { series: series.map(seriesToProto), unit };
}

/** ListObjectMetrics of an agent. */
export async function listObjectMetrics(
  request: ListObjectMetricsRequest,
  { signal }: Pick<HandlerContext, "signal">,
  { realm, metricQueries }: MetricRpcOptions,
) {
  refuseOtherRealm(realm, request.realm);
  return { metrics: [...valueOrThrow(await (await metricQueries()).objectMetrics(requireObject(request), signal))] };
}

/** QueryObjectMetric of an agent. */
export async function queryObjectMetric(
  request: QueryObjectMetricRequest,
  { signal }: Pick<HandlerContext, "signal">,
  { realm, metricQueries, clock }: MetricRpcOptions,
) {
  refuseOtherRealm(realm, request.realm);
  const object = requireObject(request);
  if (request.metric === "") throw toConnectError({ kind: "malformed", field: "metric", why: "is required" });
  const window = valueOrThrow(parseWindow(request, clock.now()));
  const series = valueOrThrow(
    await (await metricQueries()).objectMetric({ object, label: request.metric }, window, signal),
  );
  return { series: series.map(seriesToProto) };
}

/** Object that a request names. Throws `invalid_argument` without one. */
export function requireObject({ object }: Pick<ListObjectMetricsRequest, "object">): ObjectKey {
  const key = valueOrThrow(objectKeyFromProto("object", object));
  if (key === undefined) throw toConnectError({ kind: "malformed", field: "object", why: "is required" });
  return key;
}

const seriesToProto = ({ name, labels, points }: MetricSeries) => ({
  name,
  labels,
  points: points.map(({ atMs, value }) => ({ at: timestampToProto(atMs), value })),
});
