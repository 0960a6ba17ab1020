import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusSummarySchema } from "@realmwatch/proto/svc/v1/query_pb";
import { severityCounts, severityText } from "./severity-counts.ts";

const counts = (...numbers: readonly [Status, number][]) =>
  numbers.map(([status, count]) => ({ kind: ObjectKind.HOST, status, count }));
const texts = (
  summary: Parameters<typeof severityCounts>[0],
  selected: Parameters<typeof severityCounts>[1] = [],
): readonly string[] => severityCounts(summary, selected).map((count) => `${count.current} ${severityText(count)}`);

test("objects of realms that are not current are counted apart, as last known", () => {
  const summary = create(StatusSummarySchema, {
    counts: [
      ...counts([Status.OK, 2], [Status.CRITICAL, 1]),
      { kind: ObjectKind.SERVICE, status: Status.OK, count: 1 },
    ],
    lastKnown: { counts: counts([Status.OK, 2], [Status.CRITICAL, 1]) },
  });
  assert.deepEqual(texts(summary), ["0 critical, 1 last known", "1 ok, 2 last known"]);
});

test("without stale rows only numbers are shown; a selected status stays with zero", () => {
  const summary = create(StatusSummarySchema, { counts: counts([Status.OK, 3], [Status.WARNING, 1]) });
  assert.deepEqual(texts(summary, ["unknown"]), ["1 warning", "0 unknown", "3 ok"]);
  assert.deepEqual(texts(undefined), []);
});
