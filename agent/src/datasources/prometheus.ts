import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { isStruct } from "@realmwatch/shared/text/json-values";
import type { OutboundResponse } from "../platform/outbound/outbound-http.ts";
import {
  type Datasource,
  type DatasourceFailure,
  listedMetricsMs,
  type MetricSeries,
  maxSeries,
  type ObjectMetricLabel,
  objectLabels,
  type QueryWindow,
  readAnswer,
  uomOfBaseUnit,
} from "./datasource.ts";
import type { DatasourceOptions } from "./datasource-http.ts";

/** Answer of the query API. */
type Answer = {
  readonly status?: unknown;
  readonly error?: unknown;
  readonly data?: unknown;
};
type Matrix = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly values?: readonly (readonly [seconds: number, value: string])[];
}[];

/** Metrics that sinks write for performance data, see docs/reference/sinks.md. */
const perfdataMetrics = "realmwatch_perfdata|realmwatch_perfdata_total";
const counterMetric = "realmwatch_perfdata_total";

/** Datasource over the query API of Prometheus. Series of objects are those that `remote_write` sinks write. */
export function prometheusDatasource({ endpoint, http, realm, clock }: Omit<DatasourceOptions, "table">): Datasource {
  async function query(
    path: string,
    fields: Readonly<Record<string, string>>,
    signal: AbortSignal,
  ): Promise<Result<unknown, DatasourceFailure>> {
    const response = await http.send(endpoint, { path: `/api/v1/${path}`, body: new URLSearchParams(fields) }, signal);
    return response.ok ? dataOf(response.value) : response;
  }

  async function range(
    expression: string,
    { fromMs, toMs, stepMs }: QueryWindow,
    signal: AbortSignal,
  ): Promise<Result<readonly MetricSeries[], DatasourceFailure>> {
    const window = { start: String(fromMs / 1000), end: String(toMs / 1000), step: String(stepMs / 1000) };
    const data = await query("query_range", { query: expression, ...window }, signal);
    if (!data.ok) return data;
    const { resultType, result } = (data.value ?? {}) as { resultType?: unknown; result?: unknown };
    if (resultType !== "matrix" || !Array.isArray(result))
      return fail({ kind: "unavailable", why: "answered something else than series" });
    if (result.length > maxSeries)
      return fail({ kind: "too_large", why: `answered ${result.length} series, more than ${maxSeries}` });
    return readAnswer(() => ok((result as Matrix).map(seriesOf)));
  }

  /** Selector of the series of an object; `label`: of one metric only. */
  function selectorOf(object: ObjectKey, label?: string): string {
    const { host, service, process } = objectLabels(object);
    const labels = { realm, host, service, process, ...(label === undefined ? {} : { label }) };
    const matchers = Object.entries(labels).map(([name, value]) => `${name}=${stringLiteral(value)}`);
    return `{__name__=~"${perfdataMetrics}",${matchers.join(",")}}`;
  }

  return {
    queryPanel: range,
    queryMetric: ({ object, label }, window, signal) => range(selectorOf(object, label), window, signal),
    async listMetrics(object, signal) {
      const nowMs = clock.now();
      const times = { start: String((nowMs - listedMetricsMs) / 1000), end: String(nowMs / 1000) };
      const data = await query("series", { "match[]": selectorOf(object), ...times }, signal);
      if (!data.ok) return data;
      if (!Array.isArray(data.value)) return fail({ kind: "unavailable", why: "answered something else than series" });
      return readAnswer(() => ok(metricLabelsOf((data.value as unknown[]).map(labelsOf))));
    },
  };
}

/** String literal of the query language, which has the escapes of JSON. */
const stringLiteral = (text: string): string => JSON.stringify(text.toWellFormed());

function dataOf({ status, body, quotable }: OutboundResponse): Result<unknown, DatasourceFailure> {
  let answer: Answer = {};
  try {
    answer = (JSON.parse(body) as Answer | null) ?? {};
  } catch {
    // A proxy or another program answered.
  }
  if (answer.status === "success") return ok(answer.data);
  const quoted = typeof answer.error === "string" ? quotable(answer.error).slice(0, 500) : "";
  return fail({ kind: "unavailable", why: `answered HTTP ${status}${quoted === "" ? "" : `: ${quoted}`}` });
}

/** Labels of a series. Throws for a value of another form. */
function labelsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isStruct(value) || !Object.values(value).every((label) => typeof label === "string"))
    throw new TypeError("no labels of a series");
  return value as Readonly<Record<string, string>>;
}

/** Metrics of the series of an object, by name. */
function metricLabelsOf(series: readonly Readonly<Record<string, string>>[]): readonly ObjectMetricLabel[] {
  const found = new Map<string, ObjectMetricLabel>();
  for (const { __name__: name, label = "", unit = "" } of series)
    found.set(`${label}\0${unit}`, { label, uom: uomOfBaseUnit(unit, name === counterMetric) });
  return [...found.values()].sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : 0));
}

function seriesOf({ metric, values = [] }: Matrix[number]): MetricSeries {
  const { __name__: name = "", ...labels } = labelsOf(metric);
  const points = values.map(([seconds, value]) => ({ atMs: Math.round(seconds * 1000), value: numberOf(value) }));
  return { name, labels, points: points.filter((point) => !Number.isNaN(point.value)) };
}

/** Number of a sample, which is text with `+Inf` and `-Inf` for the infinite ones. */
const numberOf = (text: string): number => Number(text.replace(/^([+-]?)Inf$/, "$1Infinity"));
