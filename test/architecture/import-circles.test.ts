import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { moduleOf, readLayerTable } from "./layer-table.ts";
import { allSources, importsOf, isTest, read, root, targetOf } from "./sources.ts";

type Graph = ReadonlyMap<string, readonly string[]>;

/** Groups of files that import each other, directly or through others, or themselves (Tarjan's algorithm). */
function circlesOf(graph: Graph): string[][] {
  const circles: string[][] = [];
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const stack: string[] = [];
  const visit = (file: string): void => {
    const index = order.size;
    order.set(file, index);
    lowest.set(file, index);
    stack.push(file);
    for (const target of graph.get(file) ?? []) {
      if (!order.has(target)) visit(target);
      if (stack.includes(target)) lowest.set(file, Math.min(lowest.get(file) ?? 0, lowest.get(target) ?? 0));
    }
    if (lowest.get(file) !== index) return;
    const circle = stack.splice(stack.indexOf(file));
    if (circle.length > 1 || graph.get(file)?.includes(file)) circles.push(circle.sort());
  };
  for (const file of graph.keys()) if (!order.has(file)) visit(file);
  return circles;
}

/** The import graph of the project's own sources, type-only imports included. */
const importGraph = (): Graph =>
  new Map(
    allSources().map((file) => [
      file,
      importsOf(read(file).text).flatMap((path) => {
        const target = targetOf(file, path);
        if (target === undefined) return [];
        return [target, `${target}x`].filter((name) => existsSync(join(root, name)) && /\.(tsx?|mjs)$/.test(name));
      }),
    ]),
  );

test("no file imports itself, directly or through others, type-only imports included", () => {
  assert.deepEqual(circlesOf(importGraph()), []);
});

/** Folders of the domain in `shared/src` by what they import, from themselves apart. Tests do not count. */
function domainGraph(): Graph {
  const table = readLayerTable();
  const domain = [...importGraph()].filter(([file]) => {
    const { program, module } = moduleOf(file);
    return program === "shared" && table.get(module)?.name === "domain" && !isTest(file);
  });
  const targets = Map.groupBy(domain, ([file]) => moduleOf(file).module);
  return new Map(
    [...targets].map(([module, files]) => {
      const imported = new Set(files.flatMap(([, paths]) => paths.map((path) => moduleOf(path).module)));
      return [module, [...imported].filter((each) => each !== module && targets.has(each))];
    }),
  );
}

test("no two folders of the domain import each other, directly or through others", () => {
  assert.deepEqual(circlesOf(domainGraph()), []);
});

test("the guard finds circles of one, two and three files", () => {
  const graph: Graph = new Map([
    ["a", ["b"]],
    ["b", ["a", "c"]],
    ["c", ["d"]],
    ["d", ["e"]],
    ["e", ["c"]],
    ["f", ["a", "c", "f"]],
  ]);
  assert.deepEqual(circlesOf(graph), [["c", "d", "e"], ["a", "b"], ["f"]]);
});
