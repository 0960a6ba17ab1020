import assert from "node:assert/strict";
import { test } from "node:test";
import { GetConfigRequestSchema, ListAuditRecordsRequestSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { jsonFieldValidator } from "./json-field-validator.ts";
import { lenientJson } from "./lenient-json.ts";

const readAuditRequest = (text: string): unknown =>
  JSON.parse(lenientJson(ListAuditRecordsRequestSchema, () => text, jsonFieldValidator(ListAuditRecordsRequestSchema)));

test("[AU9] a valid request for audit records is read as it is", () => {
  const request = { since: "2026-01-31T08:00:00Z", limit: 5 };
  assert.deepEqual(readAuditRequest(JSON.stringify(request)), request);
  assert.deepEqual(readAuditRequest('{"limit":"5"}'), { limit: "5" });
});

test("[AU9] a limit beyond the range of its type becomes the bound of that range", () => {
  assert.deepEqual(readAuditRequest('{"limit":2147483648}'), { limit: 2_147_483_647 });
  assert.deepEqual(readAuditRequest('{"limit":-1e20}'), { limit: -2_147_483_648 });
  assert.deepEqual(readAuditRequest('{"limit":2.5}'), { limit: 2 });
  assert.deepEqual(readAuditRequest('{"limit":1e400}'), { limit: 2_147_483_647 });
});

test("[AU9] fields that cannot be read are left out, and the others count", () => {
  assert.deepEqual(readAuditRequest('{"limit":"many","since":"2026-01-31T08:00:00Z"}'), {
    since: "2026-01-31T08:00:00Z",
  });
  assert.deepEqual(readAuditRequest('{"limit":3,"since":"yesterday"}'), { limit: 3 });
  assert.deepEqual(readAuditRequest('{"since":"2026-02-30T08:00:00Z"}'), {});
  assert.deepEqual(
    readAuditRequest('{"__proto__":{"limit":3},"limit":4}'),
    JSON.parse('{"__proto__":{"limit":3},"limit":4}'),
  );
});

test("[AU9] a text that is no JSON object is read as an empty message", () => {
  for (const text of ["", "{", "[]", "null", "5", '"x"', '{"limit":1} x']) assert.deepEqual(readAuditRequest(text), {});
  const undecodable = (): string => {
    throw new TypeError("not valid UTF-8");
  };
  assert.equal(lenientJson(GetConfigRequestSchema, undecodable, undefined), "{}");
});
