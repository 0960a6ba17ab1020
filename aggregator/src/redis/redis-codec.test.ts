import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { keyOf } from "@realmwatch/shared/model/object-key";
import type { Row } from "@realmwatch/shared/model/row";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { decodeCatalog, decodeObject, decodeRecord, encodeChange, storedRowFields } from "./redis-codec.ts";
import { schemaVersion } from "./redis-keys.ts";

const decodeRow = (json: string, version = "1 1 0") => decodeObject("eu", { ref: "web1", version, json });

test("a row is decoded as it was encoded, with its undefined fields", () => {
  const acknowledgement = { author: "a", onBehalfOf: "", comment: "", sticky: true, atMs: 1, expiresAtMs: 2 };
  for (const row of [rowFor("eu", "web1"), rowFor("eu", "web1", { lastCheckAtMs: 5, latencyMs: 0, acknowledgement })]) {
    const decoded = decodeRow(encodeChange({ kind: "put", row }));
    assert.deepEqual(decoded, { kind: "put", row });
    assert.deepEqual(Object.keys((decoded as { row: Row }).row).sort(), Object.keys(storedRowFields).sort());
  }
});

test("a removed object is decoded as a removal with the stored version", () => {
  assert.deepEqual(decodeRow("", "3 4 0 x"), { kind: "drop", realm: "eu", key: keyOf("web1"), epoch: 3, revision: 4 });
});

test("the number of the message is stored with the version", () => {
  const json = encodeChange({ kind: "put", row: rowFor("eu", "web1") });
  assert.equal(decodeRow(json, "1 1 17")?.published, 17);
  assert.equal(decodeRow("", "3 4 0 x")?.published, undefined);
});

test("a row that lacks a required field, and JSON that is not a row, cannot be read", () => {
  const { suppressedBy: _, ...older } = rowFor("eu", "web1");
  for (const json of [JSON.stringify(older), "null", "5", "[]", "{"]) assert.equal(decodeRow(json), undefined, json);
  const row = encodeChange({ kind: "put", row: rowFor("eu", "web1") });
  for (const version of ["", "x", "1 1", "1 1 0 x", "1 2 0", "9007199254740993 1 0"])
    assert.equal(decodeRow(row, version), undefined, version);
  assert.equal(decodeRow("", "1 1 0"), undefined, "a row that is gone without a removal");
  assert.equal(
    decodeObject("eu", { ref: "web2", version: "1 1 0", json: row }),
    undefined,
    "the row of another object",
  );
  assert.equal(decodeObject("us", { ref: "web1", version: "1 1 0", json: row }), undefined, "the row of another realm");
});

test("[RS14] values nested 100 000 levels deep are no rows, catalogs or records", () => {
  const deep = (open: string, inner: string, close: string): string =>
    open.repeat(100_000) + inner + close.repeat(100_000);
  const row = encodeChange({ kind: "put", row: rowFor("eu", "web1") });
  for (const value of [deep("[", "", "]"), deep('{"about":', "1", "}"), deep("[", "", ""), deep('{"about":', "", "")]) {
    assert.equal(decodeRow(value), undefined);
    assert.equal(decodeRow(row.replace(/"about":\{/, `"about":${value},"x":{`)), undefined);
    assert.equal(decodeRow(row.replace('"name":"web1"', `"name":${value}`)), undefined);
    assert.equal(decodeCatalog(value), undefined);
    assert.equal(decodeRecord(`0000000000000001:${value}`), undefined);
  }
});

test("[RS14] a row with a field of another type, or nested 100 000 levels deep, cannot be read", () => {
  const row = rowFor("eu", "web1", { lastCheckAtMs: 5 });
  const deep = "[".repeat(100_000) + "]".repeat(100_000);
  for (const field of Object.keys(storedRowFields))
    for (const value of ["[[]]", "null", deep]) {
      const json = JSON.stringify({ ...row, [field]: "@" }).replace(`"${field}":"@"`, `"${field}":${value}`);
      assert.equal(decodeRow(json), undefined, `${field} ${value.slice(0, 10)}`);
    }
});

test("the stored fields are those of the schema version", () => {
  const hash = createHash("sha256").update(JSON.stringify(storedRowFields)).digest("hex").slice(0, 8);
  const expected = { schemaVersion: 3, hash: "05061f7a" };
  assert.deepEqual({ schemaVersion, hash }, expected, "raise schemaVersion with the fields");
});
