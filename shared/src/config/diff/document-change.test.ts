import assert from "node:assert/strict";
import { test } from "node:test";
import { type DocumentChange, parseDocumentChange } from "./document-change.ts";

const hash = `sha256:${"0f".repeat(32)}`;
const change: DocumentChange = { summary: "+1 host", added: 1, changed: 0, removed: 0, before: hash, after: hash };

test("[AU12] a realm's report of a change is read, and what is no such report is ignored", () => {
  const parse = (more: object) => parseDocumentChange(JSON.stringify({ ...change, ...more }));
  assert.deepEqual(parse({ secret: "x" }), change);
  assert.equal(parse({ summary: "x".repeat(10_000) })?.summary.length, 512);
  for (const bad of [{ added: "1" }, { removed: 0.5 }, { before: "x" }, { after: `${hash}0` }, { summary: 1 }])
    assert.equal(parse(bad), undefined, JSON.stringify(bad));
  for (const header of [undefined, null, "", "null", "[]", "{", "5"])
    assert.equal(parseDocumentChange(header), undefined);
});
