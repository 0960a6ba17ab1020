import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, isTest, read } from "./sources.ts";
import { nodesIn, parseText, visitNodes } from "./syntax.ts";

/** Lines of a source with a switch that has no default case. */
function openSwitches(file: string, text: string): readonly string[] {
  const found: string[] = [];
  if (!text.includes("switch (")) return found;
  visitNodes(parseText(file, text), (node) => {
    if (node.type !== "SwitchStatement") return;
    // The default case alone has no test.
    if (nodesIn(node["cases"]).some((each) => each["test"] === null)) return;
    found.push(`${file}:${text.slice(0, node.start).split("\n").length}`);
  });
  return found;
}

test("every switch has a default case: `never` where the cases are those of a union", () => {
  const files = filesOf("{agent,aggregator,shared,compose}/**/*.{ts,tsx,mjs}").filter((file) => !isTest(file));
  assert.deepEqual(
    files.flatMap((file) => openSwitches(file, read(file).text)),
    [],
  );
});

test("the guard finds a switch without a default case", () => {
  const text = "switch (a) {\n  case 1:\n  default:\n}\nswitch (b) {\n  case 2:\n    switch (c) {\n    }\n}\n";
  assert.deepEqual(openSwitches("a.ts", text), ["a.ts:5", "a.ts:7"]);
});
