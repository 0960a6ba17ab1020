import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { blankRow, type Row } from "@realmwatch/shared/row/row";
import { emptyCatalog } from "@realmwatch/shared/wire/catalog-parts";
import {
  decodeCatalogPart,
  decodeObject,
  decodeRecord,
  encodeCatalogPart,
  encodeObject,
  encodeRecord,
  isRecordIntact,
  type StoredObject,
} from "./redis-codec.ts";
import { schemaVersion } from "./redis-keys.ts";

const web1 = rowFor("eu", "web1");
const put = (row: Row, published?: number) =>
  encodeObject({ kind: "put", row, ...(published === undefined ? {} : { published }) });

test("a row is decoded as it was encoded, with its undefined fields and the number of its message", () => {
  const acknowledgement = { author: "a", onBehalfOf: "", comment: "", sticky: true, atMs: 1, expiresAtMs: 2 };
  for (const row of [web1, rowFor("eu", "web1", { output: "Ä \u{1f4a5} \ud800", latencyMs: 0, acknowledgement })]) {
    const decoded = decodeObject("eu", put(row));
    assert.deepEqual(decoded, { kind: "put", row });
    assert.deepEqual(Object.keys((decoded as { row: Row }).row).sort(), Object.keys(blankRow).sort());
  }
  assert.equal(decodeObject("eu", put(web1, 17))?.published, 17);
});

test("a removed object is decoded as a removal with the stored version", () => {
  const drop = { kind: "drop", realm: "eu", key: keyOf("web1"), epoch: 3, revision: 4 } as const;
  assert.deepEqual(decodeObject("eu", encodeObject(drop)), drop);
});

/** JSON with more levels than a reader that calls itself can follow. */
const deep = "[".repeat(100_000) + "]".repeat(100_000);

test("[FD91, RS14] an object of which anything was altered cannot be read", () => {
  const stored = put(rowFor("eu", "web1", { status: "critical" }), 17);
  const removed = encodeObject({ kind: "drop", realm: "eu", key: keyOf("web1"), epoch: 1, revision: 1 });
  const altered: readonly Partial<StoredObject>[] = [
    { json: stored.json.replace('"critical"', '"ok"') },
    ...["", "null", "5", "{", deep, put(web1).json].map((json) => ({ json })),
    ...["", "x", "1 1 17", `${stored.version} x`].map((version) => ({ version })),
    ...["2 1 17", "1 2 17", "1 1 18"].map((version) => ({ version: stored.version.replace("1 1 17", version) })),
    { ref: "web2" },
    { version: removed.version },
    { ...removed, version: removed.version.replace(" x", "") },
    { ...removed, json: stored.json },
  ];
  for (const change of altered) assert.equal(decodeObject("eu", { ...stored, ...change }), undefined);
  assert.equal(decodeObject("us", stored), undefined, "the row of another realm");
  assert.notEqual(decodeObject("eu", stored), undefined);
});

test("[FD91, RS14] a catalog and a record of which anything was altered cannot be read", () => {
  const part = { kind: "view", number: 1, parts: 2, epoch: 2, revision: 3, catalog: emptyCatalog("eu") } as const;
  const stored = encodeCatalogPart(part);
  assert.deepEqual(decodeCatalogPart(stored), part);
  for (const value of [stored.value.replace("eu", "us"), stored.value.replace("2 3", "2 4"), deep, "2 3", ""])
    assert.equal(decodeCatalogPart({ ...stored, value }), undefined);
  for (const field of ["view.2", "slo.1", "view", "x.1"])
    assert.equal(decodeCatalogPart({ ...stored, field }), undefined);
  const record: HistoryRecord = { realm: "eu", seq: 7, atMs: 1, type: "config" };
  const member = encodeRecord(record);
  assert.ok(isRecordIntact(member));
  assert.deepEqual(decodeRecord(member), record);
  for (const changed of [
    member.replace("config", "reload"),
    member.replace("7:", "8:"),
    "",
    `0000000000000007:${deep}`,
  ])
    assert.equal(isRecordIntact(changed), false);
});

/** Paths of all fields of a row, such as `about.labels`. */
const paths = (part: object, prefix = ""): string[] =>
  Object.entries(part).flatMap(([name, value]) =>
    name === "about" || name === "toggles" ? paths(value, `${name}.`) : [prefix + name],
  );

test("the stored fields are those of the schema version", () => {
  const hash = createHash("sha256").update(paths(blankRow).sort().join(" ")).digest("hex").slice(0, 8);
  const expected = { schemaVersion: 3, hash: "cbe5b2fe" };
  assert.deepEqual({ schemaVersion, hash }, expected, "raise schemaVersion with the fields");
});
