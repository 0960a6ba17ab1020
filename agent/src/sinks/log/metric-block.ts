import { crc32, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { MetricEntry, SinkObject } from "../sink-type.ts";

/** Consecutive entries of the metric log. */
export type MetricBlock = {
  /** Number of the first entry. */
  readonly first: number;
  readonly entries: readonly MetricEntry[];
  /** Time at which the block was recorded, Unix ms. */
  readonly recordedAtMs: number;
  /** Last command whose points are complete with this block; 0 for no further one. */
  readonly commandSeq: number;
};

type StoredPoint = readonly [
  object: number,
  atMs: number,
  label: string,
  value: number | null,
  uom: string,
  warn: string,
  crit: string,
  min: number | null,
  max: number | null,
];
type StoredBlock = { readonly objects: readonly SinkObject[]; readonly points: readonly StoredPoint[] };

/** Encodes entries, each object once: compressed JSON that depends on nothing outside of it. */
export function encodeMetricBlock(entries: readonly MetricEntry[]): Buffer {
  const numbers = new Map<SinkObject, number>();
  const points: StoredPoint[] = entries.map((entry) => {
    const number = numbers.get(entry.object) ?? numbers.size;
    if (number === numbers.size) numbers.set(entry.object, number);
    const { atMs, label, value, uom, warn, crit, min, max } = entry;
    return [number, atMs, label, value ?? null, uom, warn, crit, min ?? null, max ?? null];
  });
  return zstdCompressSync(JSON.stringify({ objects: [...numbers.keys()], points } satisfies StoredBlock));
}

/** The reverse of `encodeMetricBlock`. Throws for damaged data. */
export function decodeMetricBlock(data: Uint8Array): MetricEntry[] {
  const { objects, points } = JSON.parse(zstdDecompressSync(data).toString("utf8")) as StoredBlock;
  return points.map(([number, atMs, label, value, uom, warn, crit, min, max]) => ({
    object: objects[number] as SinkObject,
    atMs,
    label,
    value: value ?? undefined,
    uom,
    warn,
    crit,
    min: min ?? undefined,
    max: max ?? undefined,
  }));
}

export const metricBlockChecksum = (data: Uint8Array): number => crc32(data);
