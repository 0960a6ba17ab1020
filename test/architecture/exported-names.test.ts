import assert from "node:assert/strict";
import { test } from "node:test";
import { allSources, read, withoutComments } from "./sources.ts";

/** Names that every test or route of a kind exports alike, each with the reason. */
const sameThing: ReadonlyMap<string, string> = new Map();

/** Names that a source exports by declaration. A type and a value of one name in one file are one export. */
const exportsOf = (text: string): Set<string> =>
  new Set(
    [
      ...withoutComments(text).matchAll(
        /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|type|interface) (\w+)/gm,
      ),
    ].map((match) => match[1] as string),
  );

test("an exported name has one meaning in the whole repository", () => {
  const files = new Map<string, string[]>();
  for (const file of allSources())
    for (const name of exportsOf(read(file).text)) files.set(name, [...(files.get(name) ?? []), file]);
  const shared = [...files].filter(([name, where]) => where.length > 1 && !sameThing.has(name));
  assert.deepEqual(
    shared.map(([name, where]) => `${name}: ${where.join(", ")}`),
    [],
  );
});

test("the guard reads functions, constants, classes and types", () => {
  const text =
    "export async function a() {}\nexport const b = 1;\nexport type C = 1;\nexport class D {}\n// export const e";
  assert.deepEqual([...exportsOf(text)], ["a", "b", "C", "D"]);
});
