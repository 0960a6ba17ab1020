import assert from "node:assert/strict";
import { test } from "node:test";
import { ProcessCheckResultsRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { GetServerInfoRequestSchema, ListStatusRequestSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { jsonFieldValidator } from "./json-field-validator.ts";

const query = jsonFieldValidator(ListStatusRequestSchema);
const results = jsonFieldValidator(ProcessCheckResultsRequestSchema);

test("[IN2] known enum names, numbers, null and unknown fields pass", () => {
  for (const statuses of [["STATUS_OK", 2, 999], null, "STATUS_OK", []])
    query?.({ statuses, nope: "x", search: "NOPE" });
  results?.({ results: [{ status: "STATUS_OK" }, { status: 1 }, null] });
  for (const json of [null, [], "x", 1]) query?.(json);
});

test("[IN2] an unknown enum name is refused with the path of its field", () => {
  assert.throws(
    () => query?.({ statuses: ["STATUS_OK", "NOPE"] }),
    /^TypeError: statuses\.1: "NOPE" is not one of STATUS_/,
  );
  assert.throws(() => results?.({ results: [{}, { status: "toString" }] }), /results\.1\.status: "toString"/);
});

test("[IN1] an invalid timestamp, duration or message is refused with the field's path, in either spelling", () => {
  for (const executedAt of ["2026-01-31T08:00:00Z", "2026-01-31T08:00:00.123456789+02:00", null])
    results?.({ results: [{ executedAt, executionTime: "1.5s", object: { host: { name: "web1" } } }] });
  for (const executedAt of ["2024-02-29T23:59:59Z", "2000-02-29T00:00:00Z", "0004-02-29T00:00:00-23:59"])
    results?.({ results: [{ executedAt }] });
  const noDays = ["2026-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z"];
  for (const executedAt of [...noDays, "2026-01-01T24:00:00Z", "2026-01-01T23:59:60Z", "2026-00-10T00:00:00Z"])
    assert.throws(
      () => results?.({ results: [{ executedAt }] }),
      /results\.0\.executedAt: .* is not an RFC 3339/,
      executedAt,
    );
  const wrong: [result: object, message: RegExp][] = [
    [{ executedAt: "yesterday" }, /^TypeError: results\.0\.executedAt: "yesterday" is not an RFC 3339 timestamp/],
    [{ executed_at: 5 }, /results\.0\.executed_at: 5 is not an RFC 3339 timestamp/],
    [{ executionTime: "5" }, /results\.0\.executionTime: "5" is not a duration/],
    [{ object: "web1" }, /results\.0\.object: is "web1", not an object/],
    [{ object: { host: ["web1"] } }, /results\.0\.object\.host: is a list, not an object/],
  ];
  for (const [result, message] of wrong) assert.throws(() => results?.({ results: [result] }), message);
});

test("a message of plain fields has no validator", () =>
  assert.equal(jsonFieldValidator(GetServerInfoRequestSchema), undefined));
