import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { hashText } from "./hash.ts";

test("the hash of a text never changes, because hashes are stored", () => {
  assert.equal(hashText(""), "1aee8d83488bdcb8");
  assert.equal(hashText("web1!http"), "f1c23c38e45f4b86");
});

test("a hash has 16 hex digits and differs for different texts", () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (a, b) => {
      assert.match(hashText(a), /^[0-9a-f]{16}$/);
      assert.equal(hashText(a) === hashText(b), a === b);
    }),
  );
});
