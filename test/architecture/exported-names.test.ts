import assert from "node:assert/strict";
import { test } from "node:test";
import { allSources, read, withoutComments } from "./sources.ts";

/** Names that two files export for the same thing, each with the reason. */
const sameThing: ReadonlyMap<string, string> = new Map([
  ["freePort", "compose/setup runs before packages and TypeScript are there"],
  ["root", "compose/setup runs before packages and TypeScript are there"],
  ["until", "compose/setup runs before packages and TypeScript are there"],
]);

const declaration = /^export (?:declare |abstract |async )*(?:function\*?|const|let|class|type|interface) (\w+)/gm;
/** Lists of exports without a source, and destructured constants. */
const list = /^export (?:type )?\{([^}]*)\}(?!\s*from)|^export const \{([^}]*)\}/gm;

/** Names that a source exports. A type and a value of one name in one file are one export. */
function exportsOf(text: string): Set<string> {
  const code = withoutComments(text);
  const listed = [...code.matchAll(list)].flatMap(([, names, destructured]) =>
    (names ?? destructured ?? "").split(",").map(
      (entry) =>
        entry
          .trim()
          .split(/\s*:\s*|\s+as\s+|^type\s+/)
          .at(-1) ?? "",
    ),
  );
  return new Set([...[...code.matchAll(declaration)].map((match) => match[1] as string), ...listed.filter(Boolean)]);
}

/** Files that export each name. */
const filesByName = new Map<string, string[]>();
for (const file of allSources())
  for (const name of exportsOf(read(file).text)) filesByName.set(name, [...(filesByName.get(name) ?? []), file]);
const exportedTwice = [...filesByName].filter(([, files]) => files.length > 1);

test("an exported name has one meaning in the whole repository", () => {
  const found = exportedTwice.filter(([name]) => !sameThing.has(name));
  assert.deepEqual(
    found.map(([name, files]) => `${name}: ${files.join(", ")}`),
    [],
  );
});

test("every name that two files may export is exported by two", () => {
  const twice = exportedTwice.map(([name]) => name);
  assert.deepEqual(
    [...sameThing.keys()].filter((name) => !twice.includes(name)),
    [],
  );
});

test("the guard reads functions, constants, classes, types and lists", () => {
  const text = `export async function a() {}
export const b = 1;
export type C = 1;
export class D {}
// export const e
export { f, g as h, type I };
export { j } from "./j.ts";
export const { k, l: m } = b;
`;
  assert.deepEqual([...exportsOf(text)], ["a", "b", "C", "D", "f", "h", "I", "k", "m"]);
});
