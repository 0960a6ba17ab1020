import assert from "node:assert/strict";
import { test } from "node:test";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { ListStatusResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { encodedMessage } from "./encoded-message.ts";

for (const [name, fields] of [
  ["no field", {}],
  ["one text", { revision: "g.7" }],
  ["rows and other fields", { rows: [{ realm: "eu", output: "up" }, { realm: "us" }], revision: "g.8", full: true }],
] satisfies [string, MessageInitShape<typeof ListStatusResponseSchema>][])
  test(`a message with ${name} is written as the bytes of the original, and read as its fields`, () => {
    const message = create(ListStatusResponseSchema, fields);
    const bytes = toBinary(ListStatusResponseSchema, encodedMessage(ListStatusResponseSchema, message));
    assert.deepEqual(bytes, toBinary(ListStatusResponseSchema, message));
    assert.deepEqual(fromBinary(ListStatusResponseSchema, bytes), message);
  });
