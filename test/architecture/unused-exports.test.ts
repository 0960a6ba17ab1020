import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { allSources, root, targetOf } from "./sources.ts";
import { isNode, nodesIn, parseFile, parseText, type SyntaxNode, visitNodes } from "./syntax.ts";

/** Name that a file exports, and that of what it declares in the file. */
type Export = { readonly name: string; readonly local: string };
/** Name that a file imports; `*` stands for all names of the other file. */
type Import = { readonly path: string; readonly name: string };
type Names = {
  readonly exports: readonly Export[];
  readonly imports: readonly Import[];
  /** Occurrences of each identifier. */
  readonly occurrences: ReadonlyMap<string, number>;
};

const nameOf = (node: unknown): string => (isNode(node) ? String(node["name"] ?? node["value"]) : "");

function declaredNames(declaration: SyntaxNode): readonly string[] {
  if (declaration.type !== "VariableDeclaration") return [nameOf(declaration["id"])];
  return nodesIn(declaration["declarations"]).flatMap(({ id }) =>
    isNode(id) && id.type === "ObjectPattern"
      ? nodesIn(id["properties"]).map((property) => nameOf(property["value"]))
      : [nameOf(id)],
  );
}

function exportsOf(node: SyntaxNode): readonly Export[] {
  if (node.type === "ExportDefaultDeclaration") return [{ name: "default", local: "default" }];
  if (node.type !== "ExportNamedDeclaration") return [];
  if (isNode(node["declaration"])) return declaredNames(node["declaration"]).map((name) => ({ name, local: name }));
  return nodesIn(node["specifiers"]).map((each) => ({ name: nameOf(each["exported"]), local: nameOf(each["local"]) }));
}

function importsOf(node: SyntaxNode): readonly Import[] {
  const path = isNode(node["source"]) ? String(node["source"]["value"]) : undefined;
  if (path === undefined) return [];
  const names = nodesIn(node["specifiers"]).map((each) => {
    if (each.type === "ImportSpecifier") return nameOf(each["imported"]);
    if (each.type === "ExportSpecifier") return nameOf(each["local"]);
    return each.type === "ImportDefaultSpecifier" ? "default" : "*";
  });
  // `import()` and `export *` make all names of a file available.
  const whole = ["ImportExpression", "TSImportType", "ExportAllDeclaration"].includes(node.type);
  return (whole ? ["*"] : names).map((name) => ({ path, name }));
}

function namesOf(tree: SyntaxNode): Names {
  const exports: Export[] = [];
  const imports: Import[] = [];
  const occurrences = new Map<string, number>();
  visitNodes(tree, (node) => {
    if (node.type.endsWith("Identifier")) occurrences.set(nameOf(node), (occurrences.get(nameOf(node)) ?? 0) + 1);
    exports.push(...exportsOf(node));
    imports.push(...importsOf(node));
  });
  return { exports, imports, occurrences };
}

/** True for tests, their fixtures, and the programs that run or support tests. */
const isOfTests = (file: string): boolean =>
  /^(test|compose)\/|\/testing\/|\.(test|soak|fixture|contract|child)\.tsx?$/.test(file);

/** Reasons against exports of files, each with its file and name. */
function unusedExports(files: ReadonlyMap<string, Names>, resolve: typeof targetOf): readonly string[] {
  const importers = new Map<string, string[]>();
  for (const [file, { imports }] of files)
    for (const { path, name } of imports) {
      const key = `${resolve(file, path)}#${name}`;
      importers.set(key, [...(importers.get(key) ?? []), file]);
    }
  return [...files].flatMap(([file, { exports, occurrences }]) =>
    exports.flatMap(({ name, local }) => {
      const users = [...(importers.get(`${file}#${name}`) ?? []), ...(importers.get(`${file}#*`) ?? [])];
      if (users.length === 0) return [`${file}: ${name} is imported by no other file`];
      const mentions = name === local ? 1 : 2;
      if (isOfTests(file) || users.some((user) => !isOfTests(user))) return [];
      return (occurrences.get(local) ?? 0) > mentions ? [] : [`${file}: ${name} is used by tests only`];
    }),
  );
}

/** Path with the ending that the file has. */
function existingTarget(file: string, path: string): string | undefined {
  const target = targetOf(file, path);
  return [target, `${target}x`].find((name) => name !== undefined && existsSync(join(root, name)));
}

/** Files whose exports programs outside the sources use: the runner of benchmarks, vite, packages without types. */
const isEntry = (file: string): boolean => /^test\/bench\/|vite\.config\.ts$|\.d\.ts$/.test(file);

test("every export is used by another file, and by more than tests", () => {
  const files = new Map(allSources().map((file) => [file, namesOf(parseFile(file))]));
  assert.deepEqual(
    unusedExports(files, existingTarget).filter((line) => !isEntry(line.slice(0, line.indexOf(":")))),
    [],
  );
});

test("the guard finds exports that are unused, or used by tests only", () => {
  const texts = {
    "a.ts": "export const one = 1, two = 2; export const { t: three } = x; export type Four = 4; export default 5;",
    "b.ts": "export function inner() {} export function outer() { return inner(); } export { outer as renamed };",
    "c.ts": 'import { one } from "a.ts"; import type { Four } from "a.ts"; export { two } from "a.ts";',
    "d.ts": "export const lazy = 1;",
    "e.ts": 'await import("d.ts"); import { two } from "c.ts"; import { outer } from "b.ts";',
    "e.test.ts": 'import { inner, renamed } from "b.ts"; import { three } from "a.ts";',
  };
  const files = new Map(Object.entries(texts).map(([file, text]) => [file, namesOf(parseText(file, text))]));
  assert.deepEqual(
    unusedExports(files, (_file, path) => path),
    [
      "a.ts: three is used by tests only",
      "a.ts: default is imported by no other file",
      "b.ts: renamed is used by tests only",
    ],
  );
});
