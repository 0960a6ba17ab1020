import assert from "node:assert/strict";
import { test } from "node:test";
import { ProcessCheckResultsRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { GetServerInfoRequestSchema, ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { enumCheck } from "./json-enums.ts";

const query = enumCheck(ListStatusRequestSchema);
const results = enumCheck(ProcessCheckResultsRequestSchema);

test("[B02] names that an enum has, numbers and null pass; so does what is no field", () => {
  for (const statuses of [["STATUS_OK", 2, 999], null, "STATUS_OK", []])
    query?.({ statuses, nope: "x", search: "NOPE" });
  results?.({ results: [{ status: "STATUS_OK" }, { status: 1 }, null, 3] });
  for (const json of [null, [], "x", 1]) query?.(json);
});

test("[B02] a name that an enum does not have is named with its place", () => {
  assert.throws(
    () => query?.({ statuses: ["STATUS_OK", "NOPE"] }),
    /^TypeError: statuses\.1: "NOPE" is none of STATUS_/,
  );
  assert.throws(() => results?.({ results: [{}, { status: "toString" }] }), /results\.1\.status: "toString"/);
});

test("a message without enums needs no check", () => assert.equal(enumCheck(GetServerInfoRequestSchema), undefined));
