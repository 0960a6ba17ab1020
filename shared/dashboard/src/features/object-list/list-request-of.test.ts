import assert from "node:assert/strict";
import { test } from "node:test";
import { listRequestOf } from "./list-request-of.ts";

test("each list has its own order, and a column in the address replaces it", () => {
  const rows = [
    ["problems", undefined, "severity"],
    ["everything", undefined, "name"],
    ["view", undefined, "severity"],
    ["overdue", undefined, "lastCheck"],
    ["muted", undefined, "lastChange"],
    ["overdue", "checked", "-lastCheck"],
    ["overdue", "-checked", "lastCheck"],
    ["everything", "-object", "-name"],
    ["muted", "nonsense", "lastChange"],
  ] as const;
  for (const [scope, sort, expected] of rows) {
    const search = sort === undefined ? {} : { sort };
    assert.equal(listRequestOf(search, scope).sort, expected, `${scope} ${sort}`);
  }
});
