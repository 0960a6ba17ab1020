import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { durationFromMs, timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type StatusRow, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { seenChecks } from "./seen-checks.ts";

/** Row of a host after a check that began at a time, `latencyMs` after it was due, with an interval of 60 s. */
function rowOf(name: string, atMs: number, latencyMs = 0): StatusRow {
  const nextMs = atMs + 60_000;
  return create(StatusRowSchema, {
    object: objectKeyToProto({ kind: "host", name }),
    lastCheck: timestampFromMs(atMs),
    nextCheck: timestampFromMs(nextMs),
    overdueAt: timestampFromMs(nextMs + 90_000),
    latency: durationFromMs(latencyMs),
    executionTime: durationFromMs(200),
  });
}

test("[DB68] each check that a row shows is kept once, in the order of time, with its lateness", () => {
  const seen = seenChecks();
  seen.add([rowOf("web1", 60_000), rowOf("web2", 61_000)]);
  seen.add([rowOf("web1", 60_000)]);
  const before = seen.of("/web1");
  seen.add([rowOf("web1", 127_000, 7_000)]);
  seen.add([rowOf("web1", 60_000)]);
  assert.deepEqual(before, [{ dueAtMs: 60_000, latencyMs: 0, executionMs: 200, late: false }]);
  assert.deepEqual(seen.of("/web1").slice(1), [{ dueAtMs: 120_000, latencyMs: 7_000, executionMs: 200, late: true }]);
  assert.equal(seen.of("/web1"), seen.of("/web1"));
  assert.deepEqual(seen.of("/gone"), []);
});

test("[DB68] passive results and processes are not checks", () => {
  const seen = seenChecks();
  seen.add([create(StatusRowSchema, { ...rowOf("web1", 60_000), latency: undefined })]);
  seen.add([
    create(StatusRowSchema, { ...rowOf("", 60_000), object: objectKeyToProto({ kind: "process", name: "shop" }) }),
  ]);
  assert.deepEqual([seen.of("/web1"), seen.of("/process:shop")], [[], []]);
});

test("[DB68] the memory is bounded: the newest checks, of the objects that were seen last", () => {
  const seen = seenChecks({ objects: 2, checks: 3 });
  for (const at of [1, 2, 3, 4]) seen.add([rowOf("web1", at * 60_000)]);
  assert.deepEqual(
    seen.of("/web1").map(({ dueAtMs }) => dueAtMs / 60_000),
    [2, 3, 4],
  );
  seen.add([rowOf("web2", 1)]);
  seen.add([rowOf("web1", 4 * 60_000)]);
  seen.add([rowOf("web3", 1)]);
  assert.deepEqual(
    ["/web1", "/web2", "/web3"].map((id) => seen.of(id).length),
    [3, 0, 1],
  );
  seen.add(["a", "b", "c"].map((name) => rowOf(name, 1)));
  assert.equal(seen.of("/web1").length, 3, "a long list displaces no object");
});
