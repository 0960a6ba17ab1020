import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";

/** Range of a Timestamp: the years 1 to 9999. Unix seconds. */
const timestampRange = { first: -62_135_596_800, last: 253_402_300_799 } as const;
/** Maximum absolute value of a Duration: about 10 000 years. Seconds. */
const durationLimit = 315_576_000_000;

/**
 * Converts a time to a Timestamp. A time out of range becomes the nearest valid one, so that one wrong clock does not
 * make a whole response unreadable.
 *
 * @param ms Unix ms; undefined stays unset
 */
export function timestampToProto(ms: number): Timestamp;
export function timestampToProto(ms: number | undefined): Timestamp | undefined;
export function timestampToProto(ms: number | undefined): Timestamp | undefined {
  if (ms === undefined) return undefined;
  const whole = clamp(Math.round(ms), timestampRange.first * 1000, timestampRange.last * 1000 + 999);
  const seconds = Math.floor(whole / 1000);
  return {
    $typeName: "google.protobuf.Timestamp",
    seconds: BigInt(seconds),
    nanos: (whole - seconds * 1000) * 1_000_000,
  };
}

/** Converts a Timestamp to Unix ms, rounded down; undefined when unset. Out of range: `malformed` for `field`. */
export function timestampFromProto(field: string, proto: Timestamp | undefined): Result<number | undefined, Refusal> {
  if (proto === undefined) return ok(undefined);
  const seconds = Number(proto.seconds);
  const inRange = seconds >= timestampRange.first && seconds <= timestampRange.last;
  if (!inRange || proto.nanos < 0 || proto.nanos > 999_999_999)
    return malformed(field, "is not a time between the years 1 and 9999");
  return ok(seconds * 1000 + Math.floor(proto.nanos / 1_000_000));
}

/** Converts a duration to a Duration, exact to the ns. @param ms any sign; undefined stays unset */
export function durationToProto(ms: number): Duration;
export function durationToProto(ms: number | undefined): Duration | undefined;
export function durationToProto(ms: number | undefined): Duration | undefined {
  if (ms === undefined) return undefined;
  const within = clamp(ms, -durationLimit * 1000, durationLimit * 1000);
  let seconds = Math.trunc(within / 1000);
  let nanos = Math.round((within - seconds * 1000) * 1_000_000);
  if (Math.abs(nanos) === 1_000_000_000) {
    seconds += Math.sign(nanos);
    nanos = 0;
  }
  // `+ 0` turns a negative zero into zero, because a message would distinguish them.
  return { $typeName: "google.protobuf.Duration", seconds: BigInt(seconds), nanos: nanos + 0 };
}

/** Converts a Duration to ms, with fractions; undefined when unset. Out of range: `malformed` for `field`. */
export function durationFromProto(field: string, proto: Duration | undefined): Result<number | undefined, Refusal> {
  if (proto === undefined) return ok(undefined);
  const seconds = Number(proto.seconds);
  const sameSign = seconds * proto.nanos >= 0;
  if (Math.abs(seconds) > durationLimit || Math.abs(proto.nanos) > 999_999_999 || !sameSign)
    return malformed(field, "is not a duration within 10000 years");
  return ok(seconds * 1000 + proto.nanos / 1_000_000);
}

/** Limits a value to [low, high]; NaN becomes `low`. */
const clamp = (value: number, low: number, high: number): number => (value >= low ? Math.min(value, high) : low);
