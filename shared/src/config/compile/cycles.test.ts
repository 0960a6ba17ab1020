import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type Edge, findCycles } from "./cycles.ts";

/** Parses `a>b,c b>a`: nodes and the nodes they refer to. */
const graph = (text: string): ReadonlyMap<string, readonly Edge[]> =>
  new Map(
    text.split(" ").map((node) => {
      const [from = "", targets = ""] = node.split(">");
      return [from, targets === "" ? [] : targets.split(",").map((to, i) => ({ to, path: [from, i] }))];
    }),
  );

const tables: readonly [name: string, graph: string, cycles: readonly string[]][] = [
  ["none", "a>b b>c c", []],
  ["a node that refers to itself", "a>a", ["a @ a,0"]],
  ["two nodes", "a>x,b b>a", ["a b @ a,1"]],
  ["a node that only leads to a cycle is not part of it", "z>a a>b b>c c>a y>z", ["a b c @ a,0"]],
  ["two cycles apart", "a>b b>a c>d d>c", ["a b @ a,0", "c d @ c,0"]],
  ["the shortest cycle, and the rest of a longer one", "a>b b>c,a c>a", ["a b @ a,0", "c a b @ c,0"]],
  ["a diamond is not a cycle", "a>b,c b>d c>d d", []],
  ["unknown targets", "a>nowhere b>a", []],
];
for (const [name, text, cycles] of tables)
  test(`cycles: ${name}`, () =>
    assert.deepEqual(
      findCycles(graph(text)).map(({ nodes, path }) => `${nodes.join(" ")} @ ${path}`),
      cycles,
    ));

test("every reported cycle exists, and an acyclic graph has none", () => {
  const edges = fc.array(fc.tuple(fc.nat(12), fc.nat(12)), { maxLength: 40 });
  fc.assert(
    fc.property(edges, fc.boolean(), (pairs, upwards) => {
      const map = new Map(Array.from({ length: 13 }, (_, i) => [`${i}`, [] as Edge[]]));
      for (const [a, b] of pairs) if (!upwards || a < b) map.get(`${a}`)?.push({ to: `${b}`, path: [] });
      const cycles = findCycles(map);
      if (upwards) assert.deepEqual(cycles, []);
      for (const { nodes } of cycles)
        for (const [i, node] of nodes.entries())
          assert.ok(map.get(node)?.some(({ to }) => to === nodes[(i + 1) % nodes.length]));
    }),
  );
});

test("a long chain does not overflow the stack", () => {
  const chain = Array.from({ length: 50_000 }, (_, i) => [`${i}`, [{ to: `${i + 1}`, path: [] }]] as const);
  assert.deepEqual(findCycles(new Map(chain)), []);
});
