import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type ListStatusResponse, ListStatusResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { rowFor } from "../../read-model/read-model.fixture.ts";
import { statusRowToProto } from "../../row/row-codec.ts";
import { rowEncoder } from "./encoded-rows.ts";

test("encoded rows are read as the rows, and a row is encoded once for each of its marks", () => {
  const encode = rowEncoder();
  const rows = ["web1", "web1!disk"].map((ref) => rowFor("eu", ref, { output: `state of ${ref}` }));
  const marks = { overdue: false, stale: true };
  const message = Object.assign(create(ListStatusResponseSchema, { revision: "g.1" }), {
    $unknown: rows.map((row) => encode(row, marks)),
  });
  const plain = create(ListStatusResponseSchema, {
    revision: "g.1",
    rows: rows.map((row) => ({ ...statusRowToProto(row), ...marks })),
  });
  const read = (one: ListStatusResponse) =>
    fromBinary(ListStatusResponseSchema, toBinary(ListStatusResponseSchema, one));
  assert.deepEqual(read(message), read(plain));
  const [row] = rows;
  assert.ok(row);
  assert.equal(encode(row, { ...marks }), encode(row, marks));
  assert.notEqual(encode(row, { overdue: true, stale: true }), encode(row, marks));
});
