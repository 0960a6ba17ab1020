import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusSummarySchema } from "@realmwatch/proto/svc/v1/query_pb";
import { countOf, countOfAll, statusColumnsOf } from "./count-matrix.ts";

const summary = create(StatusSummarySchema, {
  counts: [
    { kind: ObjectKind.HOST, status: Status.OK, count: 5 },
    { kind: ObjectKind.SERVICE, status: Status.OK, count: 7 },
    { kind: ObjectKind.SERVICE, status: Status.UNKNOWN, count: 2 },
  ],
  lastKnown: { counts: [{ kind: ObjectKind.SERVICE, status: Status.OK, count: 3 }] },
});

test("objects are counted by status and kind, those last known apart", () => {
  assert.deepEqual(countOf(summary, "ok"), { count: 12, lastKnown: 3 });
  assert.deepEqual(countOf(summary, "ok", ObjectKind.HOST), { count: 5, lastKnown: 0 });
  assert.deepEqual(countOfAll(summary, ObjectKind.SERVICE), { count: 9, lastKnown: 3 });
  assert.deepEqual(countOf(undefined, "ok"), { count: 0, lastKnown: 0 });
});

test("a status that no object has gets no column, except for critical, warning and ok", () => {
  assert.deepEqual(statusColumnsOf(summary), ["critical", "warning", "unknown", "ok"]);
});
