import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, read } from "./sources.ts";

const sources = filesOf("{agent,aggregator,shared,shared/cli}/src/**/*.ts").filter(
  (file) => !/\.(test|fixture|child)\.ts$/.test(file),
);

/** Start of a worker thread, or of a child program on the same Node.js. */
const start = /\bnew Worker\((.*?)[,)]|\bfork\((?!\))|\bspawn\(process\.execPath/;

test("each module that a thread or a child program starts with is named by entryModule, for the bundle to have it", () => {
  const starts = sources.filter((file) => start.test(read(file).text));
  assert.ok(starts.length > 5);
  for (const file of starts) {
    const { text } = read(file);
    const isNamed = /\bentryModule\("[\w-]+", import\.meta\.url\)/.test(text) || /\bmodule: URL\b/.test(text);
    assert.ok(isNamed || file === "shared/cli/src/local/run-agent-program.ts", file);
  }
});

test("entryModule gets its arguments written out, and names an existing module", () => {
  for (const file of sources.filter((each) => !each.endsWith("/entry-module.ts"))) {
    const { text } = read(file);
    const calls = [...text.matchAll(/\bentryModule\(("([\w-]+)", import\.meta\.url\))?/g)];
    for (const [, whole, name] of calls) {
      assert.ok(whole, file);
      assert.ok(sources.includes(`${file.slice(0, file.lastIndexOf("/"))}/${name}.ts`), `${file}: ${name}`);
    }
  }
});
