import type { Duration, Timestamp } from "@bufbuild/protobuf/wkt";
import type { Refusal } from "../../model/refusal.ts";
import { fail, ok, type Result } from "../../model/result.ts";

/** What a Timestamp can say: the years 1 to 9999. Unix seconds. */
const timestampRange = { first: -62_135_596_800, last: 253_402_300_799 } as const;
/** What a Duration can say, either way: some 10 000 years. Seconds. */
const durationLimit = 315_576_000_000;

/**
 * An instant on the wire. What a Timestamp cannot say becomes its nearest end, because one odd clock
 * must not make a whole answer unreadable.
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

/** Unix ms, rounded down; undefined where unset. Refuses what no Timestamp may say, as `malformed` `field`. */
export function timestampFromProto(field: string, wire: Timestamp | undefined): Result<number | undefined, Refusal> {
  if (wire === undefined) return ok(undefined);
  const seconds = Number(wire.seconds);
  const inRange = seconds >= timestampRange.first && seconds <= timestampRange.last;
  if (!inRange || wire.nanos < 0 || wire.nanos > 999_999_999)
    return fail({ kind: "malformed", field, why: "is no instant between the years 1 and 9999" });
  return ok(seconds * 1000 + Math.floor(wire.nanos / 1_000_000));
}

/** A span on the wire, exact to the ns. @param ms any sign; undefined stays unset */
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
  // `+ 0` turns a negative zero, which a message could tell from zero, into zero.
  return { $typeName: "google.protobuf.Duration", seconds: BigInt(seconds), nanos: nanos + 0 };
}

/** ms, with fractions; undefined where unset. Refuses what no Duration may say, as `malformed` `field`. */
export function durationFromProto(field: string, wire: Duration | undefined): Result<number | undefined, Refusal> {
  if (wire === undefined) return ok(undefined);
  const seconds = Number(wire.seconds);
  const sameSign = seconds * wire.nanos >= 0;
  if (Math.abs(seconds) > durationLimit || Math.abs(wire.nanos) > 999_999_999 || !sameSign)
    return fail({ kind: "malformed", field, why: "is no span within 10000 years" });
  return ok(seconds * 1000 + wire.nanos / 1_000_000);
}

/** NaN, which says nothing, becomes the lower end. */
const clamp = (value: number, low: number, high: number): number => (value >= low ? Math.min(value, high) : low);
