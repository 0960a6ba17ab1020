import assert from "node:assert/strict";
import { test } from "node:test";
import { PartNames } from "./object-definition.ts";

test("equal parts have one name, whichever object they are, and are told once", () => {
  const names = new PartNames();
  const name = names.nameOf({ app: "shop" });
  assert.equal(names.nameOf({ app: "shop" }), name);
  assert.notEqual(names.nameOf({ app: "till" }), name);
  assert.deepEqual(
    names.takeFresh().map(([, part]) => part),
    [{ app: "shop" }, { app: "till" }],
  );
  names.nameOf({ app: "till" });
  assert.deepEqual(names.takeFresh(), []);
  assert.equal(new PartNames().nameOf({ app: "shop" }), name, "in another document too");
});

test("parts with one hash are told apart", () => {
  const names = new PartNames(() => "same");
  const parts = [{ app: "shop" }, { app: "till" }, { app: "bank" }];
  assert.equal(new Set(parts.map((part) => names.nameOf(part))).size, 3);
  assert.equal(names.nameOf({ app: "till" }), names.nameOf({ app: "till" }));
});
