import assert from "node:assert/strict";
import { test } from "node:test";
import { PartHashes } from "./object-definition.ts";

test("equal parts have equal hashes, different parts different ones", () => {
  const hashes = new PartHashes();
  const labels = { app: "shop" };
  assert.equal(hashes.hashOf(labels), hashes.hashOf({ app: "shop" }));
  assert.equal(hashes.hashOf(labels), new PartHashes().hashOf(labels));
  assert.notEqual(hashes.hashOf(labels), hashes.hashOf({ app: "till" }));
});
