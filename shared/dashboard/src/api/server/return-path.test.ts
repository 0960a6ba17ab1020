import assert from "node:assert/strict";
import { test } from "node:test";
import { safeReturnPath } from "./return-path.ts";

const rows: [given: string | undefined, path: string][] = [
  ["/objects?q=env%3Dprod#x", "/objects?q=env%3Dprod#x"],
  ["/", "/"],
  [undefined, "/"],
  ["", "/"],
  ["objects", "/"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["https://evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["/login?next=/login", "/"],
];
for (const [given, path] of rows)
  test(`[AT11] a login with the return path ${given} leads to ${path}`, () => {
    assert.equal(safeReturnPath(given), path);
  });
