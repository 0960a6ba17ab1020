import type { Clock } from "@realmwatch/shared/model/clock";
import type { OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { openDatasourceHttp } from "../datasources/datasource-http.ts";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { MetricQueries, type MetricQueriesOptions } from "./metric-queries.ts";

type Options = Omit<MetricQueriesOptions, "http" | "clock"> & {
  readonly clock: Clock;
  readonly outbound: OutboundPolicy;
};

export type OpenMetricQueries = { readonly queries: MetricQueries; close(): Promise<void> };

/** Opens the queries of metrics with the HTTP client of the datasources. */
export function openMetricQueries({ outbound, ...options }: Options): OpenMetricQueries {
  const { clock } = options;
  const http = openDatasourceHttp({ clock, resolver: openNameResolver({ clock, outbound }) });
  return { queries: new MetricQueries({ ...options, http }), close: http.close };
}
