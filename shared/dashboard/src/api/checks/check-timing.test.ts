import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { checkTimingOf } from "./check-timing.ts";

const key = { kind: "host", name: "web1" } as const;
const times = { nextCheck: timestampFromMs(100_000), overdueAt: timestampFromMs(190_000) };
const ran = (latencyMs: number) => ({ latency: durationFromMs(latencyMs), executionTime: durationFromMs(200) });

for (const [latencyMs, late] of [
  [900, false],
  [6_000, false],
  [6_001, true],
] as const)
  test(`[DB58] with an interval of 60 s, a latency of ${latencyMs} ms is ${late ? "late" : "on time"}`, () => {
    const row = create(StatusRowSchema, { ...times, ...ran(latencyMs) });
    assert.deepEqual(checkTimingOf({ key, row }), { latencyMs, executionMs: 200, intervalMs: 60_000, late });
  });

test("[DB58] a passive check, a process and an object that was never checked have no timing", () => {
  assert.equal(checkTimingOf({ key, row: create(StatusRowSchema, times) }), undefined);
  assert.equal(checkTimingOf({ key, row: create(StatusRowSchema, ran(1)) }), undefined);
  const row = create(StatusRowSchema, { ...times, ...ran(1) });
  assert.equal(checkTimingOf({ key: { kind: "process", name: "shop" }, row }), undefined);
});
