import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePlan } from "./compile-plan.ts";

/** Problems of a document with these fields. */
function problemsOfDocument(fields: object, profile?: "demo"): string[] {
  const compiled = compilePlan({ hosts: {}, ...fields }, { realm: "r", localZone: "UTC", profile });
  return compiled.ok ? [] : compiled.error.map(({ message }) => message);
}

/** Problems of a document with these sinks. */
const problemsOf = (sinks: object, profile?: "demo"): string[] => problemsOfDocument({ sinks }, profile);

const file = (cursor: string) => ({ type: "file", path: "/tmp/x", cursor });

for (const cursor of ["a/b", "a\\b", "..", "a..b", "x\ny", "journal.db", "cursors.db-wal", ".hidden", "sinks"])
  test(`[SK3] the cursor ${JSON.stringify(cursor)} is a config error`, () =>
    assert.equal(problemsOf({ s: file(cursor) }).length, 1));

test("[SK3] the cursor of another sink is a config error", () => {
  assert.match(problemsOf({ a: file("c"), b: file("c") }).join(), /is the cursor of the sink "a" already/);
  assert.deepEqual(problemsOf({ a: file("c"), b: file("d"), e: file("") }), []);
});

test("[SK12] header values with control characters and invalid header names are config errors", () => {
  for (const type of ["http", "otlp"])
    for (const headers of [{ A: "x\r\nHost: y" }, { A: "\0" }, { "a b": "x" }, { "a\r\n": "x" }, { "": "x" }]) {
      const found = problemsOf({ s: { type, url: "http://x", headers } });
      assert.equal(found.length, 1);
      assert.doesNotMatch(found.join(), /Host/);
    }
});

test("[SK12] so are those of a datasource", () => {
  for (const headers of [{ A: "x\r\nHost: y" }, { "a b": "x" }]) {
    const found = problemsOfDocument({ datasources: { d: { type: "prometheus", url: "http://x", headers } } });
    assert.equal(found.length, 1);
    assert.match(found.join(), /^datasource "d": headers/);
    assert.doesNotMatch(found.join(), /Host/);
  }
});

test("[SK12] names of tables and words of commands that could end a statement are config errors", () => {
  for (const table of ["a;b", "a b", "1a", "a`", "a.b", ""])
    assert.equal(problemsOf({ s: { type: "columnar_db", url: "http://x", table } }).length, 1, table);
  for (const command of [["a\0b"], ["/bin/cat", "x\0"], [""], []])
    assert.equal(problemsOf({ s: { type: "exec", command } }).length, 1);
});

test("[SK12] the demo profile refuses sinks that write to the agent's machine", () => {
  for (const sink of [
    { type: "file", path: "/x" },
    { type: "exec", command: ["/bin/cat"] },
    { type: "archive", url: "file:///x" },
    { type: "archive", url: "/x" },
  ])
    assert.equal(problemsOf({ s: sink }, "demo").length, 1, JSON.stringify(sink));
  assert.deepEqual(problemsOf({ s: { type: "archive", url: "s3://b/p" } }, "demo"), []);
});
