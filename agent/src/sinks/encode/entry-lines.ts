import { never } from "@realmwatch/shared/model/never";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { baseUnitOf, scaleToBase } from "@realmwatch/shared/text/plugin/base-unit";
import { formatHistoryRecord } from "@realmwatch/shared/wire/history-json";
import type { MetricEntry, SinkBatch } from "../sink-type.ts";
import { scaleThreshold } from "./perfdata-series.ts";

/** Lines of JSON for a batch, one for each entry that has a line, each with its line feed. */
export function formatEntryLines(batch: SinkBatch, realm: string): string {
  let text = "";
  if (batch.input === "events") for (const { record } of batch.entries) text += `${formatHistoryRecord(record)}\n`;
  else for (const entry of batch.entries) text += formatMetricLine(entry, realm);
  return text;
}

/** Line of a point; empty for the end of a series. Values and bounds are in the base unit. */
function formatMetricLine(entry: MetricEntry, realm: string): string {
  const { object, atMs, label, value, uom, warn, crit, min, max } = entry;
  if (value === undefined) return "";
  const { name: unit, factor, isCounter } = baseUnitOf(uom);
  const scale = (bound: number | undefined): number | undefined =>
    bound === undefined ? undefined : scaleToBase(bound, factor);
  const line = JSON.stringify({
    time: new Date(atMs).toISOString(),
    realm,
    ...objectNames(object.key),
    label,
    value: scaleToBase(value, factor),
    unit,
    ...(isCounter ? { counter: true } : {}),
    warn: warn === "" ? undefined : scaleThreshold(warn, factor),
    crit: crit === "" ? undefined : scaleThreshold(crit, factor),
    min: scale(min),
    max: scale(max),
  });
  return `${line.toWellFormed()}\n`;
}

/** Names of an object as fields of a line. */
export function objectNames(key: ObjectKey): { kind: string; host?: string; service?: string; process?: string } {
  switch (key.kind) {
    case "host":
      return { kind: key.kind, host: key.name };
    case "service":
      return { kind: key.kind, host: key.host, service: key.name };
    case "process":
      return { kind: key.kind, process: key.name };
    default:
      return never(key);
  }
}
