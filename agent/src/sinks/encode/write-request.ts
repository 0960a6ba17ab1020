import { create, toBinary } from "@bufbuild/protobuf";
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { MetricMetadata_MetricType, WriteRequestSchema } from "@realmwatch/proto/prometheus/v1/remote_pb";
import { Metadata_MetricType } from "@realmwatch/proto/prometheus/v2/write_pb";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { MetricEntry, SinkObject } from "../sink-type.ts";
import { boundedCache } from "./bounded-cache.ts";
import { objectNames } from "./entry-lines.ts";
import { type PerfdataMetric, type PerfdataSeries, perfdataSeries } from "./perfdata-series.ts";

/** Name of a metric without the prefix `realmwatch_`. */
type WriteMetric = PerfdataMetric | "event";

/** Samples of one series in the order of their times. */
export type WriteSeries = {
  readonly metric: WriteMetric;
  /** Names and values of all labels in turn, in alphabetical order, the metric's name included. */
  readonly labels: readonly string[];
  readonly samples: readonly WriteSample[];
};

/** `value`: undefined for the marker that ends the series. */
export type WriteSample = { readonly atMs: number; readonly value: number | undefined };

/** Bits of the NaN with which Prometheus marks the end of a series; every other NaN is a value. */
const staleMarker = 0x7ff0000000000002n;

/** Series of a batch. Samples of one series with the same time are reduced to the last one. */
export function writeSeriesOf(entries: readonly MetricEntry[], realm: string): WriteSeries[] {
  const found = new Map<string, WriteSeries & { samples: WriteSample[] }>();
  const objects = new Map<SinkObject, ObjectLabels>();
  for (const entry of entries) {
    const { object, atMs } = entry;
    const own = objects.get(object) ?? labelsOfObject(object, realm);
    objects.set(object, own);
    for (const one of perfdataSeries(entry)) {
      const { metric, label, unit, alert, bound, threshold, value } = one;
      const key = `${own.key}\0${metric}\0${alert}\0${bound}\0${threshold}\0${unit}\0${label}`;
      const known = found.get(key);
      if (known !== undefined) addSample(known.samples, { atMs, value });
      else found.set(key, { metric, labels: labelsOf(one, own), samples: [{ atMs, value }] });
    }
  }
  return [...found.values()];
}

/** Labels of an object in alphabetical order: those before and after the label `label`. */
type ObjectLabels = { readonly key: string; readonly before: readonly string[]; readonly after: readonly string[] };

function labelsOfObject({ key }: SinkObject, realm: string): ObjectLabels {
  const { host, service, process } = objectNames(key);
  const pair = (name: string, value: string | undefined): string[] =>
    value === undefined ? [] : [name, value.toWellFormed()];
  return {
    key: refOf(key),
    before: pair("host", host),
    after: [...pair("process", process), ...pair("realm", realm), ...pair("service", service)],
  };
}

function labelsOf(
  { metric, label, unit, alert, bound, threshold }: PerfdataSeries,
  { before, after }: ObjectLabels,
): string[] {
  const labels = ["__name__", `realmwatch_${metric}`];
  if (alert !== "") labels.push("alert", alert);
  if (bound !== "") labels.push("bound", bound);
  labels.push(...before, "label", label.toWellFormed(), ...after);
  if (threshold !== "") labels.push("threshold", threshold);
  if (unit !== "") labels.push("unit", unit.toWellFormed());
  return labels;
}

/** Inserts a sample by its time: receivers refuse older samples after newer ones. */
function addSample(samples: WriteSample[], sample: WriteSample): void {
  let at = samples.length;
  while (at > 0 && (samples[at - 1] as WriteSample).atMs > sample.atMs) at -= 1;
  if (at > 0 && (samples[at - 1] as WriteSample).atMs === sample.atMs) samples[at - 1] = sample;
  else samples.splice(at, 0, sample);
}

const kinds: Readonly<Record<WriteMetric, "counter" | "gauge">> = {
  perfdata: "gauge",
  perfdata_total: "counter",
  perfdata_threshold: "gauge",
  perfdata_bound: "gauge",
  event: "gauge",
};

const help: Readonly<Record<WriteMetric, string>> = {
  perfdata: "Value of performance data in the base unit that the label unit names.",
  perfdata_total: "Value of a counter of performance data.",
  perfdata_threshold: "End of the range of a threshold of performance data.",
  perfdata_bound: "Least or greatest possible value of performance data.",
  event: "Record of the history: 1 at its time.",
};

/** Encodes a request of remote write 1.0, without compression. `withMetadata`: also describes the metrics. */
export function encodeWriteRequest(series: readonly WriteSeries[], withMetadata: boolean): Uint8Array {
  const writer = new BinaryWriter();
  for (const { labels, samples } of series) {
    writer.tag(1, WireType.LengthDelimited).fork();
    for (let at = 0; at < labels.length; at += 2) writer.raw(encodedLabel(`${labels[at]}\0${labels[at + 1]}`));
    for (const sample of samples) writeSample(writer, sample);
    writer.join();
  }
  const request = writer.finish();
  return withMetadata ? Buffer.concat([request, metadata]) : request;
}

/** Field 1 of a series: a label, given as its name, NUL and its value. */
const encodedLabel = boundedCache((text) => {
  const end = text.indexOf("\0");
  const writer = new BinaryWriter().tag(1, WireType.LengthDelimited).fork();
  writer.tag(1, WireType.LengthDelimited).string(text.slice(0, end));
  return writer
    .tag(2, WireType.LengthDelimited)
    .string(text.slice(end + 1))
    .join()
    .finish();
});

/** Encoded descriptions of all metrics, which can follow the series of any request. */
const metadata = toBinary(
  WriteRequestSchema,
  create(WriteRequestSchema, {
    metadata: (Object.keys(kinds) as WriteMetric[]).map((metric) => ({
      type: kinds[metric] === "counter" ? MetricMetadata_MetricType.COUNTER : MetricMetadata_MetricType.GAUGE,
      metricFamilyName: `realmwatch_${metric}`,
      help: help[metric],
    })),
  }),
);

/** Encodes a request of remote write 2.0, without compression. */
export function encodeWriteRequest2(series: readonly WriteSeries[]): Uint8Array {
  const numbers = new Map<string, number>([["", 0]]);
  const numberOf = (text: string): number => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, numbers.size);
    return numbers.size - 1;
  };
  const body = new BinaryWriter();
  for (const { metric, labels, samples } of series) {
    body.tag(5, WireType.LengthDelimited).fork();
    body.tag(1, WireType.LengthDelimited).fork();
    for (const text of labels) body.uint32(numberOf(text));
    body.join();
    for (const sample of samples) writeSample(body, sample);
    const type = kinds[metric] === "counter" ? Metadata_MetricType.COUNTER : Metadata_MetricType.GAUGE;
    body.tag(5, WireType.LengthDelimited).fork();
    body.tag(1, WireType.Varint).int32(type).tag(3, WireType.Varint).uint32(numberOf(help[metric])).join();
    body.join();
  }
  const symbols = new BinaryWriter();
  for (const text of numbers.keys()) symbols.tag(4, WireType.LengthDelimited).string(text);
  return Buffer.concat([symbols.finish(), body.finish()]);
}

/** Writes field 2 of a series: a sample with the fields value and time, which both versions have. */
function writeSample(writer: BinaryWriter, { atMs, value }: WriteSample): void {
  writer.tag(2, WireType.LengthDelimited).fork().tag(1, WireType.Bit64);
  // As an integer: the engine replaces the bits of a NaN by those of another one.
  if (value === undefined) writer.fixed64(staleMarker);
  else writer.double(value);
  writer.tag(2, WireType.Varint).int64(BigInt(atMs)).join();
}
