import assert from "node:assert/strict";
import { test } from "node:test";
import { deserialize, serialize } from "node:v8";
import fc from "fast-check";
import { SharedTexts } from "./shared-texts.ts";

test("sharing texts changes no value, however many there are", () => {
  const field = fc.oneof(fc.string({ maxLength: 40 }), fc.integer(), fc.constant(undefined), fc.constant([]));
  const value = fc.oneof(fc.dictionary(fc.string({ maxLength: 5 }), field), fc.array(field));
  const texts = new SharedTexts();
  for (let n = 0; n < 10_000; n += 1) texts.shareFields([String(n)]);
  fc.assert(
    fc.property(fc.array(value), (values) => {
      const shared = deserialize(serialize(values)) as object[];
      for (const each of shared) texts.shareFields(each);
      assert.deepEqual(shared, deserialize(serialize(values)));
    }),
  );
});

test("empty lists of several objects become one, which cannot be changed", () => {
  const texts = new SharedTexts();
  const [one, other] = [{ list: [] as string[] }, { list: [] as string[] }];
  texts.shareFields(one);
  texts.shareFields(other);
  assert.equal(one.list, other.list);
  assert.throws(() => one.list.push("text"), TypeError);
});
