import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import {
  type StatusRow,
  StatusRowSchema,
  type StatusSummary,
  StatusSummarySchema,
} from "@realmwatch/proto/svc/v1/query_pb";
import { judgeSelection, unknownPluginResult } from "./status-plugin.ts";

const rowOf = (name: string, status: Status): StatusRow =>
  create(StatusRowSchema, { status, output: "no | route", object: { ref: { case: "host", value: { name } } } });
const summaryOf = (count: number, lastKnown = 0): StatusSummary =>
  create(StatusSummarySchema, {
    counts: [{ status: Status.OK, count }],
    lastKnown: { counts: [{ status: Status.OK, count: lastKnown }] },
  });

const cases: [why: string, statuses: Status[], lastKnown: number, code: number, word: string][] = [
  ["no unhandled problem", [], 0, 0, "OK"],
  ["a warning", [Status.WARNING], 0, 1, "WARNING"],
  ["unknown is worse than a warning", [Status.WARNING, Status.UNKNOWN], 0, 3, "UNKNOWN"],
  ["critical is worse than unknown", [Status.CRITICAL, Status.UNKNOWN], 0, 2, "CRITICAL"],
  ["unreachable", [Status.UNREACHABLE], 0, 2, "CRITICAL"],
  ["no problem is known, but rows are only last known", [], 2, 3, "UNKNOWN"],
  ["a known problem counts even if rows are only last known", [Status.WARNING], 2, 1, "WARNING"],
];
for (const [why, statuses, lastKnown, code, word] of cases)
  test(`plugin result of a selection: ${why}`, () => {
    const result = judgeSelection(
      summaryOf(7, lastKnown),
      statuses.map((status) => rowOf("web1", status)),
    );
    assert.equal(result.code, code);
    assert.ok(result.text.startsWith(`${word}: ${statuses.length} unhandled problem`), result.text);
  });

test("a plugin prints the problems below its first line, which has the performance data", () => {
  const [first, second] = judgeSelection(summaryOf(3), [rowOf("web1", Status.CRITICAL)]).text.split("\n");
  assert.equal(
    first,
    "CRITICAL: 1 unhandled problem among 3 objects | unhandled=1;;;0 objects=3;;;0 unreachable=0;;;0 critical=1;;;0 unknown=0;;;0 warning=0;;;0",
  );
  assert.equal(second, "web1 is critical: no / route");
});

test("an empty selection is UNKNOWN, as is a failure", () => {
  assert.deepEqual(judgeSelection(summaryOf(0), []), { code: 3, text: "UNKNOWN: no objects are selected" });
  assert.deepEqual(unknownPluginResult("a | b"), { code: 3, text: "UNKNOWN: a / b" });
});
