import { baseUnitOf, scaleToBase } from "@realmwatch/shared/text/plugin/base-unit";
import { formatHistoryRecord } from "@realmwatch/shared/wire/history-json";
import type { EventEntry, MetricEntry, SinkBatch } from "../sink-type.ts";
import { objectNames } from "./entry-lines.ts";
import { scaleThreshold } from "./perfdata-series.ts";

/** Columns of the tables, in types that every release of ClickHouse since 18 has. */
const columns = {
  metrics: [
    ["ts", "DateTime"],
    ["at_ms", "Int64"],
    ["realm", "String"],
    ["host", "String"],
    ["service", "String"],
    ["label", "String"],
    ["value", "Float64"],
    ["unit", "String"],
    ["counter", "UInt8"],
    ["warn", "String"],
    ["crit", "String"],
    ["min", "Nullable(Float64)"],
    ["max", "Nullable(Float64)"],
  ],
  events: [
    ["ts", "DateTime"],
    ["at_ms", "Int64"],
    ["realm", "String"],
    ["seq", "UInt64"],
    ["type", "String"],
    ["kind", "String"],
    ["host", "String"],
    ["service", "String"],
    ["process", "String"],
    ["status", "String"],
    ["output", "String"],
    ["record", "String"],
  ],
} as const;

const order = { metrics: "realm, host, service, label, ts", events: "realm, ts, seq" } as const;

/** Statement that creates the table unless it exists. `table`: name that needs no quoting. */
export const columnarDdl = (input: SinkBatch["input"], table: string): string =>
  `CREATE TABLE IF NOT EXISTS ${table} (${columns[input].map((column) => column.join(" ")).join(", ")}) ` +
  `ENGINE = MergeTree() PARTITION BY toYYYYMM(ts) ORDER BY (${order[input]})`;

/** Rows of a batch as lines of JSON; empty when it has none. */
export function formatColumnarRows(batch: SinkBatch, realm: string): string {
  let text = "";
  if (batch.input === "events") for (const entry of batch.entries) text += formatEventRow(entry, realm);
  else for (const entry of batch.entries) text += formatMetricRow(entry, realm);
  return text;
}

const row = (values: Record<string, unknown>): string => `${JSON.stringify(values).toWellFormed()}\n`;
const times = (atMs: number) => ({ ts: Math.max(0, Math.floor(atMs / 1_000)), at_ms: atMs });

function formatMetricRow({ object, atMs, label, value, uom, ...bounds }: MetricEntry, realm: string): string {
  if (value === undefined) return "";
  const { name: unit, factor, isCounter } = baseUnitOf(uom);
  const { host = "", service = "" } = objectNames(object.key);
  const { warn, crit, min, max } = bounds;
  return row({
    ...times(atMs),
    ...{ realm, host, service, label, unit },
    value: scaleToBase(value, factor),
    counter: Number(isCounter),
    warn: scaleThreshold(warn, factor),
    crit: scaleThreshold(crit, factor),
    min: min === undefined ? null : scaleToBase(min, factor),
    max: max === undefined ? null : scaleToBase(max, factor),
  });
}

function formatEventRow({ record }: EventEntry, realm: string): string {
  const { kind = "", host = "", service = "", process = "" } = record.key === undefined ? {} : objectNames(record.key);
  const { seq, type, status = "", output = "" } = record;
  return row({
    ...times(record.atMs),
    ...{ realm, seq, type, kind, host, service, process, status, output },
    record: formatHistoryRecord(record),
  });
}
