import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { Row } from "@realmwatch/shared/model/row";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { decodeObject, encodeChange, storedRowFields } from "./redis-codec.ts";
import { schemaVersion } from "./redis-keys.ts";

const decodeRow = (json: string) => decodeObject("eu", { ref: "web1", version: "3 4", json });

test("a row is decoded as it was encoded, with its undefined fields", () => {
  const acknowledgement = { author: "a", onBehalfOf: "", comment: "", sticky: true, atMs: 1, expiresAtMs: 2 };
  for (const row of [rowFor("eu", "web1"), rowFor("eu", "web1", { lastCheckAtMs: 5, latencyMs: 0, acknowledgement })]) {
    const decoded = decodeRow(encodeChange({ kind: "put", row }));
    assert.deepEqual(decoded, { kind: "put", row });
    assert.deepEqual(Object.keys((decoded as { row: Row }).row).sort(), Object.keys(storedRowFields).sort());
  }
});

test("a removed object is decoded as a removal with the stored version", () => {
  assert.deepEqual(decodeRow(""), { kind: "drop", realm: "eu", key: keyOf("web1"), epoch: 3, revision: 4 });
});

test("the number of the message is stored with the version", () => {
  const json = encodeChange({ kind: "put", row: rowFor("eu", "web1") });
  assert.equal(decodeObject("eu", { ref: "web1", version: "3 4 17", json })?.published, 17);
  assert.equal(decodeObject("eu", { ref: "web1", version: "3 4 0", json: "" })?.published, undefined);
});

test("a row that lacks a required field, and JSON that is not a row, cannot be read", () => {
  const { suppressedBy: _, ...older } = rowFor("eu", "web1");
  for (const json of [JSON.stringify(older), "null", "5", "[]", "{"]) assert.equal(decodeRow(json), undefined, json);
  const row = encodeChange({ kind: "put", row: rowFor("eu", "web1") });
  assert.equal(decodeObject("eu", { ref: "web1", version: "x", json: row }), undefined);
});

test("the stored fields are those of the schema version", () => {
  const hash = createHash("sha256").update(JSON.stringify(storedRowFields)).digest("hex").slice(0, 8);
  const expected = { schemaVersion: 2, hash: "6b48daf3" };
  assert.deepEqual({ schemaVersion, hash }, expected, "raise schemaVersion with the fields");
});
