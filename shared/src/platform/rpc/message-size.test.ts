import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import {
  type ProcessCheckResultRequest,
  ProcessCheckResultRequestSchema,
  ProcessCheckResultsRequestSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { refuseTooManyValues } from "./message-size.ts";

const type = ProcessCheckResultsRequestSchema;
const entries = { field: "results", max: 10_000 };

/** Code and message of the refusal; undefined for a message that may be decoded. */
function refusalOf(message: Uint8Array, isJson: boolean, options: object = { type, entries }): string | undefined {
  try {
    refuseTooManyValues({ message, isJson, type, entries: undefined, ...options });
    return undefined;
  } catch (error) {
    assert.ok(error instanceof ConnectError);
    return `${Code[error.code]}: ${error.rawMessage}`;
  }
}

const result: ProcessCheckResultRequest = create(ProcessCheckResultRequestSchema, {
  object: { ref: { case: "service", value: { host: "web1", name: "http" } } },
  status: 1,
  output: 'a "quoted", {text} \\',
  longOutput: "[,,,,]",
  perfdata: "a=1 b=2",
  executedAt: { seconds: 1n, nanos: 1 },
  executionTime: { seconds: 1n, nanos: 1 },
  checkSource: "x",
});
const batchOf = (count: number) => create(type, { results: Array.from({ length: count }, () => result) });

const tooMany = "InvalidArgument: results: has more than 10000 entries";

test("[PT29] 10 000 results pass and one more is refused, in both formats, whatever their texts contain", () => {
  for (const [count, refusal] of [
    [10_000, undefined],
    [10_001, tooMany],
  ] as const) {
    assert.equal(refusalOf(toBinary(type, batchOf(count)), false), refusal);
    assert.equal(refusalOf(Buffer.from(toJsonString(type, batchOf(count))), true), refusal);
  }
});

test("[PT29] millions of empty entries, unknown fields or nested lists are refused", () => {
  const many = 8_388_608;
  const tooManyValues = "InvalidArgument: the request has more than 250000 values";
  assert.equal(refusalOf(Buffer.alloc(2 * many, "\x0a\x00"), false), tooMany);
  assert.equal(refusalOf(Buffer.alloc(2 * many, 0x20), false), tooManyValues);
  assert.equal(refusalOf(Buffer.from(`{"results":[${"{},".repeat(4_000_000)}{}]}`), true), tooMany);
  assert.equal(refusalOf(Buffer.from(`{"x":${"[".repeat(300_000)}`), true), tooManyValues);
  assert.equal(refusalOf(Buffer.from(`{"results":[{"x":[${"0,".repeat(300_000)}0]}]}`), true), tooManyValues);
  const inOne = Buffer.concat([Buffer.from([0x0a, 0x80, 0x80, 0x40]), Buffer.alloc(1_048_576, 0x20)]);
  assert.equal(refusalOf(inOne, false), tooManyValues);
});

test("[PT29] a packed list counts as many values as it may have", () => {
  const length = 300_000;
  const packed = Buffer.concat([Buffer.from([0x22, 0xe0, 0xa7, 0x12]), Buffer.alloc(length, 1)]);
  const options = { type: ListStatusRequestSchema };
  assert.match(refusalOf(packed, false, options) ?? "", /more than 250000 values/);
});

test("[PT29] a malformed message is left to the decoder", () => {
  for (const message of [Buffer.alloc(30_000, 0xff), Buffer.alloc(30_000, 0x0f), Buffer.alloc(30_000, 0x0a)])
    assert.equal(refusalOf(message, false), undefined);
  for (const text of [`"${"x".repeat(30_000)}`, "]".repeat(30_000), `${" ".repeat(30_000)}{`])
    assert.equal(refusalOf(Buffer.from(text), true), undefined);
});
