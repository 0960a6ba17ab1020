import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { FormData } from "undici";
import type { OutboundResponse } from "../platform/outbound/outbound-http.ts";
import { type ColumnarAnswer, panelSeriesOf } from "./columnar-series.ts";
import {
  type Datasource,
  type DatasourceFailure,
  listedMetricsMs,
  type MetricSeries,
  objectLabels,
  type QueryWindow,
  readAnswer,
  uomOfBaseUnit,
} from "./datasource.ts";
import type { DatasourceOptions, DatasourceRequest } from "./datasource-http.ts";

/** Most rows of an answer. */
const maxRows = 200_000;
/** Settings of every query: it may read only, and not for long. */
const settings = { readonly: "2", max_execution_time: "20", max_result_rows: String(maxRows) } as const;

/** Columns of the table of parameters by which values are bound: a form that every release since 18 has. */
const parameterColumns = {
  realm: "String",
  host: "String",
  service: "String",
  label: "String",
  from_ms: "Int64",
  to_ms: "Int64",
  step_ms: "Int64",
} as const;
type Parameters = Readonly<Record<keyof typeof parameterColumns, string | number>>;
const parameter = (name: keyof typeof parameterColumns): string => `(SELECT ${name} FROM params)`;

const inWindow =
  `ts >= toDateTime(intDiv(${parameter("from_ms")}, 1000)) AND ts <= toDateTime(intDiv(${parameter("to_ms")}, 1000))` +
  ` AND at_ms >= ${parameter("from_ms")} AND at_ms <= ${parameter("to_ms")}`;

/** Datasource over the HTTP interface of ClickHouse. Series of objects are those that `columnar_db` sinks write. */
export function columnarDbDatasource({ endpoint, table, http, realm, clock }: DatasourceOptions): Datasource {
  async function query(
    sql: string,
    parameters: Parameters | undefined,
    signal: AbortSignal,
  ): Promise<Result<ColumnarAnswer, DatasourceFailure>> {
    const response = await http.send(endpoint, queryRequest(sql, parameters), signal);
    return response.ok ? answerOf(response.value) : response;
  }

  function parametersFor(object: ObjectKey, label: string, { fromMs, toMs, stepMs }: QueryWindow): Parameters {
    const { host, service } = objectLabels(object);
    const times = { from_ms: Math.floor(fromMs), to_ms: Math.floor(toMs), step_ms: Math.max(1, Math.floor(stepMs)) };
    return { realm, host, service, label, ...times };
  }

  return {
    async queryPanel(text, window, signal) {
      const answer = await query(panelSql(text, window), undefined, signal);
      return answer.ok ? readAnswer(() => panelSeriesOf(answer.value)) : answer;
    },
    async queryMetric({ object, label }, window, signal) {
      const step = `intDiv(at_ms - ${parameter("from_ms")}, ${parameter("step_ms")})`;
      const sql =
        `SELECT unit, max(counter) AS is_counter, ${step} AS step, count() AS n, min(at_ms) AS first_ms, avg(value) AS mean ` +
        `FROM ${table} WHERE (realm, host, service, label) IN (SELECT realm, host, service, label FROM params) ` +
        `AND ${inWindow} GROUP BY unit, step ORDER BY unit, step LIMIT ${maxRows}`;
      const answer = await query(sql, parametersFor(object, label, window), signal);
      return answer.ok ? readAnswer(() => ok(metricSeriesOf(answer.value.rows, label, window))) : answer;
    },
    async listMetrics(object, signal) {
      const nowMs = clock.now();
      const window = { fromMs: nowMs - listedMetricsMs, toMs: nowMs, stepMs: 1 };
      const sql =
        `SELECT label, unit, max(counter) AS is_counter FROM ${table} ` +
        `WHERE (realm, host, service) IN (SELECT realm, host, service FROM params) AND ${inWindow} ` +
        "GROUP BY label, unit ORDER BY label, unit LIMIT 10000";
      const answer = await query(sql, parametersFor(object, "", window), signal);
      if (!answer.ok) return answer;
      return readAnswer(() =>
        ok(
          answer.value.rows.map(([label, unit, isCounter]) => ({
            label: String(label),
            uom: uomOfBaseUnit(String(unit), Number(isCounter) === 1),
          })),
        ),
      );
    },
  };
}

function queryRequest(sql: string, parameters: Parameters | undefined): DatasourceRequest {
  const given = { ...settings, query: `${sql} FORMAT JSONCompact` };
  if (parameters === undefined) return { path: "/", parameters: given };
  const structure = Object.entries(parameterColumns).map(([name, type]) => `${name} ${type}`);
  const body = new FormData();
  body.set("params", new Blob([`${JSON.stringify(parameters).toWellFormed()}\n`]), "params");
  const format = { params_structure: structure.join(", "), params_format: "JSONEachRow" };
  return { path: "/", parameters: { ...given, ...format }, body };
}

/** Query of a panel with its times, Unix seconds, and its step, seconds, in place of `{from}`, `{to}` and `{step}`. */
function panelSql(text: string, { fromMs, toMs, stepMs }: QueryWindow): string {
  const values: Readonly<Record<string, number>> = {
    from: Math.floor(fromMs / 1000),
    to: Math.ceil(toMs / 1000),
    step: Math.max(1, Math.round(stepMs / 1000)),
  };
  return text.replace(/;\s*$/, "").replace(/\{(from|to|step)\}/g, (_, name: string) => String(values[name]));
}

function answerOf({ status, headers, body, quotable }: OutboundResponse): Result<ColumnarAnswer, DatasourceFailure> {
  if (status !== 200) return fail({ kind: "unavailable", why: `answered HTTP ${status}${firstLine(quotable(body))}` });
  try {
    const { meta, data } = JSON.parse(body) as { meta: ColumnarAnswer["columns"]; data: ColumnarAnswer["rows"] };
    const zone = headers["x-clickhouse-timezone"];
    return ok({ columns: meta, rows: data, zone: typeof zone === "string" ? zone : "UTC" });
  } catch {
    return fail({ kind: "unavailable", why: `answered no rows${firstLine(quotable(body))}` });
  }
}

/** Beginning of an answer as the end of a sentence. */
function firstLine(text: string): string {
  const line = text
    .replace(/\p{Cc}+/gu, " ")
    .trim()
    .slice(0, 300);
  return line === "" ? "" : `: ${line}`;
}

/** One series for each unit that the metric had. */
function metricSeriesOf(rows: ColumnarAnswer["rows"], label: string, { fromMs, stepMs }: QueryWindow): MetricSeries[] {
  const byUnit = Map.groupBy(rows, ([unit]) => String(unit));
  return [...byUnit].map(([unit, own]) => ({
    name: label,
    labels: unit === "" ? { label } : { label, unit },
    points: own.map(([, , step, count, firstMs, mean]) => ({
      atMs: Number(count) === 1 ? Number(firstMs) : Math.floor(fromMs) + Number(step) * stepMs,
      value: Number(mean),
    })),
  }));
}
