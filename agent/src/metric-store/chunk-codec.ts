import { deflateRawSync, inflateRawSync } from "node:zlib";
import { byteReader, byteWriter } from "./byte-stream.ts";
import type { MetricPoint } from "./metric-point.ts";
import { fewerDigits, floatColumn, type ScaledColumn, scaledColumn, unscale } from "./value-columns.ts";

/** Encodings of a chunk's values. */
const encodings = { scaled: 0, floats: 1 } as const;
/** Set in the first byte when the rest is compressed. */
const compressedFlag = 0x80;
/** Set in the first byte when times have whole seconds. */
const secondsFlag = 0x40;

/** Largest size of a full chunk, bytes a point; values are shortened until it fits. */
export const maxBytesPerPoint = 2.5;
/** Numbers of significant digits that are tried when a chunk does not fit with all digits. */
const digitSteps = [6, 5, 4] as const;

/**
 * Encodes points, which are sorted by time and not empty. Times are kept to the second, or to the millisecond when two
 * points are in the same second. Values are kept exactly if that takes at most `maxBytesPerPoint`; otherwise they are
 * shortened to as many significant digits as fit, at least four.
 *
 * Differences between times and between values become small whole numbers, which compress well.
 */
export function encodeChunk(points: readonly MetricPoint[]): Uint8Array {
  const limit = Math.ceil(points.length * maxBytesPerPoint) + 16;
  const values = points.map(({ value }) => value);
  for (const digits of [undefined, ...digitSteps]) {
    const scaled = scaledColumn(digits === undefined ? values : fewerDigits(values, digits));
    if (scaled === undefined) continue;
    const chunk = packed(plainBytes(points, scaled));
    if (chunk.length <= limit || digits === digitSteps.at(-1)) return chunk;
  }
  return packed(plainBytes(points, fewerDigits(values, digitSteps.at(-1) ?? 0)));
}

/** Encodes points fast, exactly but for the times, and without compression: for a chunk that still grows. */
export function encodeOpenChunk(points: readonly MetricPoint[]): Uint8Array {
  const values = points.map(({ value }) => value);
  return plainBytes(points, scaledColumn(values) ?? values);
}

/** Chunk without compression. */
function plainBytes(points: readonly MetricPoint[], values: ScaledColumn | readonly number[]): Uint8Array {
  const writer = byteWriter();
  const inSeconds = areSecondsDistinct(points);
  const isScaled = "exponent" in values;
  writer.byte((isScaled ? encodings.scaled : encodings.floats) | (inSeconds ? secondsFlag : 0));
  writer.varint(points.length);
  let [previous, step] = [0, 0];
  for (const { atMs } of points) {
    const time = Math.round(atMs / (inSeconds ? 1000 : 1));
    writer.signed(time - previous - step);
    step = previous === 0 ? 0 : time - previous;
    previous = time;
  }
  if (!isScaled) {
    for (const byte of floatColumn(values)) writer.byte(byte);
    return writer.bytes();
  }
  writer.signed(values.exponent);
  let last = 0;
  for (const value of values.values) {
    writer.signed(value - last);
    last = value;
  }
  return writer.bytes();
}

/** Compresses a chunk, unless that makes it larger. */
function packed(plain: Uint8Array): Uint8Array {
  const body = deflateRawSync(plain.subarray(1), { level: 6 });
  if (body.length + 1 >= plain.length) return plain;
  const chunk = new Uint8Array(1 + body.length);
  chunk[0] = (plain[0] as number) | compressedFlag;
  chunk.set(body, 1);
  return chunk;
}

function areSecondsDistinct(points: readonly MetricPoint[]): boolean {
  let previous = Number.NEGATIVE_INFINITY;
  for (const { atMs } of points) {
    const second = Math.round(atMs / 1000);
    if (second <= previous) return false;
    previous = second;
  }
  return true;
}

/** Decodes a chunk. Throws when it is damaged. */
export function decodeChunk(chunk: Uint8Array): MetricPoint[] {
  const flags = chunk[0] ?? 0;
  const body = chunk.subarray(1);
  const reader = byteReader((flags & compressedFlag) === 0 ? body : inflateRawSync(body));
  const unit = (flags & secondsFlag) === 0 ? 1 : 1000;
  const count = reader.varint();
  const times: number[] = [];
  let [previous, step] = [0, 0];
  for (let at = 0; at < count; at += 1) {
    const time = previous + step + reader.signed();
    step = previous === 0 ? 0 : time - previous;
    previous = time;
    times.push(time * unit);
  }
  if ((flags & 1) === encodings.floats) {
    const planes = Uint8Array.from({ length: count * 8 }, () => reader.byte());
    return floatsOf(planes, count).map((value, at) => ({ atMs: times[at] ?? 0, value }));
  }
  const exponent = reader.signed();
  let last = 0;
  return times.map((atMs) => {
    last += reader.signed();
    return { atMs, value: unscale(last, exponent) };
  });
}

/** Reverse of `floatColumn`. */
function floatsOf(planes: Uint8Array, count: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  const previous = new Uint8Array(8);
  return Array.from({ length: count }, (_, at) => {
    for (let byte = 0; byte < 8; byte += 1) {
      previous[byte] = (previous[byte] as number) ^ (planes[byte * count + at] as number);
      view.setUint8(byte, previous[byte] as number);
    }
    return view.getFloat64(0);
  });
}
