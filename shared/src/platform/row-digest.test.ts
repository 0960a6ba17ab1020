import assert from "node:assert/strict";
import { test } from "node:test";
import { rowDigestTerm } from "./row-digest.ts";

const host = rowDigestTerm("host.d2ViMQ", 1795000000000, 1);
const service = rowDigestTerm("service.d2ViMQ.aHR0cA", 1795000000000, 2);

test("the terms of two rows, and their exclusive-or, are those of the contract", () => {
  assert.equal(host.toString(16), "9a0fc986697d929a");
  assert.equal(service.toString(16), "4da4437002fbcede");
  assert.equal((host ^ service).toString(16), "d7ab8af66b865c44");
});

test("a term depends on the object, the epoch and the revision", () => {
  const terms = new Set([
    host,
    rowDigestTerm("host.d2ViMg", 1795000000000, 1),
    rowDigestTerm("host.d2ViMQ", 1795000000001, 1),
    rowDigestTerm("host.d2ViMQ", 1795000000000, 2),
  ]);
  assert.equal(terms.size, 4);
});
