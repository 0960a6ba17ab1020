import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countJsonValues } from "./json-values.ts";

/** Number of lists, objects and commas of a value. */
function valuesOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const parts = Object.values(value);
  return 1 + Math.max(0, parts.length - 1) + parts.reduce((sum: number, part) => sum + valuesOf(part), 0);
}

test("[PT29] the counted values of a JSON text are its lists, objects and commas, whatever its texts contain", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2), (value, indent) => {
      const text = Buffer.from(JSON.stringify(value, undefined, indent));
      assert.equal(countJsonValues(text, 1).values, valuesOf(value));
      if (Array.isArray(value) && value.length > 1) assert.equal(countJsonValues(text, 1).entries, value.length);
      const inField = Buffer.from(JSON.stringify({ a: [1, 2, 3], b: value, c: { d: [1, 2, 3, 4, 5, 6] } }));
      const longest = Math.max(3, Array.isArray(value) ? value.length : 0);
      assert.equal(countJsonValues(inField, 2).entries, longest);
    }),
  );
});
