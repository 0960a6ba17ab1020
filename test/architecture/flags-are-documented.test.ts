import assert from "node:assert/strict";
import { test } from "node:test";
import { agentFlags } from "@realmwatch/agent/flags";
import { aggregatorFlags } from "@realmwatch/aggregator/flags";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { read } from "./sources.ts";

const page = read("docs/reference/flags.md").text;
const tables: FlagTable[] = [agentFlags, aggregatorFlags];

/** Rows of the page's tables: each flag with its default. */
const documented = new Map(
  [...page.matchAll(/^\| `-([a-z-]+)` \|([^|]*)\|/gm)].map((match) => [
    match[1] as string,
    (match[2] as string).trim(),
  ]),
);

test("docs/reference/flags.md names every flag, and none that does not exist", () => {
  const known = new Set(tables.flatMap((table) => Object.keys(table)));
  assert.deepEqual([...documented.keys()].sort(), [...known].sort());
});

test("docs/reference/flags.md names every default", () => {
  for (const [name, flag] of tables.flatMap((table) => Object.entries(table)))
    if (flag.kind === "value")
      assert.equal(documented.get(name), flag.fallback === "" ? "" : `\`${flag.fallback}\``, name);
});

test("the help of a flag names its subject: a sentence of at least three words", () => {
  const helps = tables.flatMap((table) => Object.entries(table)).map(([name, { help }]) => `-${name}: ${help}`);
  assert.deepEqual(
    helps.filter((help) => !/^-\S+: (?:`|[A-Z])\S*(?: \S+){2,}\.$/.test(help)),
    [],
  );
});
