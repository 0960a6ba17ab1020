import assert from "node:assert/strict";
import { test } from "node:test";
import { suggestSelector } from "./suggest-selector.ts";

const labels = new Map([
  ["@kind", ["host", "process", "service"]],
  ["rack", ["r1", "r2", "r10"]],
  ["role", ["db", "mail queue"]],
]);

const cases: [text: string, suggested: string[]][] = [
  ["", []],
  ["r", ["rack=", "role="]],
  ["disk full", []],
  ["ra", ["rack="]],
  ["rack", ["rack="]],
  ["!rack", []],
  ["rack=", ["rack=r1", "rack=r2", "rack=r10"]],
  ["rack=r1", ["rack=r10"]],
  ["rack=r1,ro", ["rack=r1,role="]],
  ["rack=r1, role!=d", ["rack=r1, role!=db"]],
  ["role=m", ['role="mail queue"']],
  ["rack in (r1,r", ["rack in (r1,r1", "rack in (r1,r2", "rack in (r1,r10"]],
  ["rack in (r1,r2),@", ["rack in (r1,r2),@kind="]],
  ["!ra", ["!rack"]],
  ["has:r", ["has:rack", "has:role"]],
  ["@KIND=", []],
  ["nothing=", []],
];
for (const [text, suggested] of cases)
  test(`suggestions for "${text}"`, () =>
    assert.deepEqual(
      suggestSelector(text, labels).map((one) => one.text),
      suggested,
    ));
