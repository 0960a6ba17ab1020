import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { durationMsArbitrary, timestampMsArbitrary } from "../../row/row-arbitrary.fixture.ts";
import { durationFromProto, durationToProto, timestampFromProto, timestampToProto } from "./time.ts";

const timestamp = (seconds: bigint, nanos: number) =>
  ({ $typeName: "google.protobuf.Timestamp", seconds, nanos }) as const;
const duration = (seconds: bigint, nanos: number) =>
  ({ $typeName: "google.protobuf.Duration", seconds, nanos }) as const;

test("[WI1] a time survives the conversion exact to the ms", () => {
  fc.assert(
    fc.property(timestampMsArbitrary, (ms) =>
      assert.deepEqual(timestampFromProto("at", timestampToProto(ms)), { ok: true, value: ms }),
    ),
  );
});

test("[WI1] a duration of either sign survives the conversion exact to the ns", () => {
  fc.assert(
    fc.property(fc.oneof(durationMsArbitrary, fc.double({ min: -1e6, max: 1e6, noNaN: true })), (ms) => {
      const back = durationFromProto("for", durationToProto(ms));
      assert.ok(back.ok && back.value !== undefined && Math.abs(back.value - ms) <= 1e-6, `${ms}`);
    }),
  );
});

test("[WI1] unset stays unset, and zero is set", () => {
  assert.equal(timestampToProto(undefined), undefined);
  assert.equal(durationToProto(undefined), undefined);
  assert.deepEqual(timestampFromProto("at", undefined), { ok: true, value: undefined });
  assert.deepEqual(durationFromProto("for", undefined), { ok: true, value: undefined });
  assert.deepEqual(timestampFromProto("at", timestamp(0n, 0)), { ok: true, value: 0 });
  assert.deepEqual(durationFromProto("for", duration(0n, 0)), { ok: true, value: 0 });
  assert.deepEqual(durationToProto(-0.0000001), duration(0n, 0));
});

for (const [seconds, nanos] of [
  [253_402_300_800n, 0],
  [-62_135_596_801n, 0],
  [2n ** 63n - 1n, 0],
  [0n, -1],
  [0n, 1_000_000_000],
] as const)
  test(`[WI2] a time of ${seconds} s ${nanos} ns is refused`, () => {
    const result = timestampFromProto("start", timestamp(seconds, nanos));
    assert.ok(!result.ok && result.error.kind === "malformed" && result.error.field === "start");
  });

for (const [seconds, nanos] of [
  [315_576_000_001n, 0],
  [-(2n ** 63n), 0],
  [1n, -1],
  [-1n, 1],
  [0n, 1_000_000_000],
] as const)
  test(`[WI2] a duration of ${seconds} s ${nanos} ns is refused`, () => {
    const result = durationFromProto("duration", duration(seconds, nanos));
    assert.ok(!result.ok && result.error.kind === "malformed" && result.error.field === "duration");
  });

test("[WI2] a value out of a message's range becomes the nearest valid one", () => {
  assert.deepEqual(timestampToProto(1e300), timestamp(253_402_300_799n, 999_000_000));
  assert.deepEqual(timestampToProto(-Infinity), timestamp(-62_135_596_800n, 0));
  assert.deepEqual(timestampToProto(Number.NaN), timestamp(-62_135_596_800n, 0));
  assert.deepEqual(durationToProto(Infinity), duration(315_576_000_000n, 0));
});
