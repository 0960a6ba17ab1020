import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { ExportLogsServiceRequestSchema } from "@realmwatch/proto/opentelemetry/proto/collector/logs/v1/logs_service_pb";
import {
  type AnyValue,
  InstrumentationScopeSchema,
  type KeyValue,
  KeyValueSchema,
} from "@realmwatch/proto/opentelemetry/proto/common/v1/common_pb";
import { type LogRecord, SeverityNumber } from "@realmwatch/proto/opentelemetry/proto/logs/v1/logs_pb";
import { AggregationTemporality } from "@realmwatch/proto/opentelemetry/proto/metrics/v1/metrics_pb";
import { ResourceSchema } from "@realmwatch/proto/opentelemetry/proto/resource/v1/resource_pb";
import { version } from "@realmwatch/shared/model/version";
import { formatHistoryRecord } from "@realmwatch/shared/wire/history-json";
import type { EventEntry, MetricEntry, SinkObject } from "../sink-type.ts";
import { boundedCache } from "./bounded-cache.ts";
import { objectNames } from "./entry-lines.ts";
import { type PerfdataMetric, perfdataSeries } from "./perfdata-series.ts";

const textValue = (text: string): AnyValue => ({
  $typeName: "opentelemetry.proto.common.v1.AnyValue",
  value: { case: "stringValue", value: text.toWellFormed() },
});

const attribute = ([key, text]: readonly [string, string]): KeyValue => ({
  $typeName: "opentelemetry.proto.common.v1.KeyValue",
  key,
  keyStrindex: 0,
  value: textValue(text),
});

const nanoseconds = (atMs: number): bigint => BigInt(Math.max(0, Math.round(atMs))) * 1_000_000n;

const resourceOf = (realm: string) => ({
  attributes: [attribute(["service.name", "realmwatch"]), attribute(["realmwatch.realm", realm])],
});
const scope = { name: "realmwatch", version };

/** Names and values of the attributes that name an object. */
const namesOf = ({ key }: SinkObject): [name: string, value: string][] =>
  Object.entries(objectNames(key)).filter(([name]) => name !== "kind");

/** Data point flag for a series that has ended. */
const noRecordedValue = 1;

/** Field 7 of a data point: an attribute, given as its name, NUL and its value. */
const encodedAttribute = boundedCache((text) => {
  const end = text.indexOf("\0");
  const value = attribute([text.slice(0, end), text.slice(end + 1)]);
  return new BinaryWriter().tag(7, WireType.LengthDelimited).bytes(toBinary(KeyValueSchema, value)).finish();
});

const seriesLabels = ["label", "unit", "alert", "bound", "threshold"] as const;

/**
 * Encodes an ExportMetricsServiceRequest: one metric for each name, with the unit as an attribute of its points. The
 * points are written field by field, because messages of the official types would cost more than all the rest.
 */
export function encodeOtlpMetrics(entries: readonly MetricEntry[], realm: string): Uint8Array {
  const points = new Map<PerfdataMetric, BinaryWriter>();
  const objects = new Map<SinkObject, Uint8Array>();
  for (const entry of entries) {
    const { object } = entry;
    const own = objects.get(object) ?? encodedNames(object, realm);
    objects.set(object, own);
    for (const series of perfdataSeries(entry)) {
      const writer = points.get(series.metric) ?? new BinaryWriter();
      points.set(series.metric, writer);
      writer.tag(1, WireType.LengthDelimited).fork().raw(own);
      for (const name of seriesLabels)
        if (series[name] !== "") writer.raw(encodedAttribute(`${name}\0${series[name]}`));
      writer.tag(3, WireType.Bit64).fixed64(nanoseconds(entry.atMs));
      if (series.value === undefined) writer.tag(8, WireType.Varint).uint32(noRecordedValue);
      else writer.tag(4, WireType.Bit64).double(series.value);
      writer.join();
    }
  }
  const metrics = [...points].map(([metric, writer]) => otlpMetric(metric, writer.finish()));
  const head = toBinary(ResourceSchema, create(ResourceSchema, resourceOf(realm)));
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).bytes(head).tag(2, WireType.LengthDelimited).fork();
  const scopeBytes = toBinary(InstrumentationScopeSchema, create(InstrumentationScopeSchema, scope));
  writer.tag(1, WireType.LengthDelimited).bytes(scopeBytes);
  for (const metric of metrics) writer.tag(2, WireType.LengthDelimited).bytes(metric);
  return writer.join().join().finish();
}

/** Attributes of a data point that name its realm and object. */
function encodedNames(object: SinkObject, realm: string): Uint8Array {
  const named = [["realm", realm], ...namesOf(object)];
  return Buffer.concat(named.map(([name, value]) => encodedAttribute(`${name}\0${value}`)));
}

/** Encoded Metric with the given fields 1 of its data: a sum for counters, else a gauge. */
function otlpMetric(metric: PerfdataMetric, dataPoints: Uint8Array): Uint8Array {
  const isCounter = metric === "perfdata_total";
  // OpenTelemetry names have no suffix for counters: receivers that need one add it.
  const name = isCounter ? "realmwatch.perfdata.counter" : `realmwatch.${metric.replace("_", ".")}`;
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).string(name);
  writer
    .tag(isCounter ? 7 : 5, WireType.LengthDelimited)
    .fork()
    .raw(dataPoints);
  if (isCounter) writer.tag(2, WireType.Varint).int32(AggregationTemporality.CUMULATIVE);
  if (isCounter) writer.tag(3, WireType.Varint).bool(true);
  return writer.join().finish();
}

/** Encodes an ExportLogsServiceRequest: one log record for each event, whose body is the record as JSON. */
export function encodeOtlpLogs(entries: readonly EventEntry[], realm: string): Uint8Array {
  const scopeLogs = [{ scope, logRecords: entries.map((entry) => logRecordOf(entry, realm)) }];
  return toBinary(
    ExportLogsServiceRequestSchema,
    create(ExportLogsServiceRequestSchema, { resourceLogs: [{ resource: resourceOf(realm), scopeLogs }] }),
  );
}

function logRecordOf({ record, object }: EventEntry, realm: string): LogRecord {
  const { type, status, atMs, seq } = record;
  const level = severityOf(status);
  return {
    $typeName: "opentelemetry.proto.logs.v1.LogRecord",
    timeUnixNano: nanoseconds(atMs),
    observedTimeUnixNano: nanoseconds(atMs),
    severityNumber: level,
    severityText: severityTexts[level] ?? "",
    body: textValue(formatHistoryRecord(record)),
    attributes: [
      attribute(["realm", realm]),
      ...(object === undefined ? [] : namesOf(object).map(attribute)),
      attribute(["type", type]),
      ...(status === undefined ? [] : [attribute(["status", status])]),
      attribute(["seq", `${seq}`]),
    ],
    droppedAttributesCount: 0,
    flags: 0,
    traceId: new Uint8Array(),
    spanId: new Uint8Array(),
    eventName: `realmwatch.${type}`,
  };
}

const severityTexts: Readonly<Record<number, string>> = {
  [SeverityNumber.INFO]: "INFO",
  [SeverityNumber.WARN]: "WARN",
  [SeverityNumber.ERROR]: "ERROR",
};

function severityOf(status: string | undefined): SeverityNumber {
  if (status === "critical" || status === "down") return SeverityNumber.ERROR;
  return status === "warning" || status === "unknown" || status === "unreachable"
    ? SeverityNumber.WARN
    : SeverityNumber.INFO;
}
