import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { objectKeyArbitrary, rowArbitrary } from "./row-arbitrary.fixture.ts";
import { decodeChanges, encodeChanges, type SentChange } from "./sent-change.ts";

const changeArbitrary: fc.Arbitrary<SentChange> = fc.oneof(
  rowArbitrary.map((row) => ({ kind: "put" as const, row })),
  rowArbitrary.map((row) => ({ kind: "put" as const, ref: "web1", row: { ...row, about: undefined } })),
  objectKeyArbitrary.map((key) => ({ kind: "drop" as const, realm: "eu", key, epoch: 7, revision: 9 })),
);

/** The value without properties that are undefined, which are missing after a conversion. */
const withoutUnset = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
const fieldsOf = (change: SentChange): string[] => Object.keys(change.kind === "put" ? change.row : change).sort();

test("[WI10] changes are the same on the other side of a thread, in their order, and rows have all their fields", () => {
  fc.assert(
    fc.property(fc.array(changeArbitrary, { maxLength: 5 }), (changes) => {
      const received = decodeChanges(encodeChanges(changes));
      assert.deepEqual(withoutUnset(received), withoutUnset(changes));
      assert.deepEqual(received.map(fieldsOf), changes.map(fieldsOf));
    }),
  );
});
