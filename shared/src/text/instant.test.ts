import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatInstant, parseInstant } from "./instant.ts";

test("an instant is parsed with its offset", () => {
  const cases: [text: string, utc: string][] = [
    ["2026-03-29T01:30:00Z", "2026-03-29T01:30:00Z"],
    ["2026-03-29t03:30:00.250+02:00", "2026-03-29T01:30:00.25Z"],
    ["2024-02-29T23:59:59-05:00", "2024-03-01T04:59:59Z"],
    ["1969-12-31T23:59:59.9999Z", "1969-12-31T23:59:59.999Z"],
  ];
  for (const [text, utc] of cases) {
    const read = parseInstant(text);
    assert.equal(read.ok && formatInstant(read.value), utc, text);
  }
});

for (const text of [
  "",
  "now",
  "2026-03-29",
  "2026-03-29T01:30:00",
  "2026-03-29 01:30:00Z",
  "2026-02-30T00:00:00Z",
  "2026-01-01T24:00:00Z",
  "2026-01-01T00:00:00+1:00",
  "2026-01-01T00:00:00+25:00",
  "2026-01-01T00:00:00Z[UTC]",
])
  test(`not an instant: ${JSON.stringify(text)}`, () => {
    const read = parseInstant(text);
    assert.match(read.ok ? "" : read.error, /^is not an instant: /);
  });

test("formatting is the inverse of parsing", () => {
  fc.assert(
    fc.property(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), (atMs) => {
      assert.deepEqual(parseInstant(formatInstant(atMs)), { ok: true, value: atMs });
    }),
  );
});
