import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orderFields } from "./field-order.ts";

const ordered = (...fronts: string[]): string => orderFields(fronts.map((front) => [...front])).join("");

test("labels in CUE's order", () => {
  assert.equal(ordered(), "");
  assert.equal(ordered("abc"), "abc");
  assert.equal(ordered("a", "b", "a", "c"), "abc");
  // The last of each literal waits until nothing else is left.
  assert.equal(ordered("ab", "cd"), "acbd");
  assert.equal(ordered("abc", "xby"), "axbcy");
  assert.equal(ordered("ab", "ba"), "ab");
  assert.equal(ordered("aba"), "ab");
});

/** The walk as CUE does it, from the start after every step. */
function byRescanning(fronts: readonly (readonly string[])[]): string[] {
  const rest = fronts.map((front) => [...front]);
  const open = new Map<string, number>();
  for (const front of rest) for (const label of front.slice(1)) open.set(label, (open.get(label) ?? 0) + 1);
  const taken: string[] = [];
  const isFree = (label: string): boolean => taken.includes(label) || (open.get(label) ?? 0) === 0;
  for (;;) {
    const front = rest.find(([head]) => head !== undefined && isFree(head));
    const head = (front ?? rest.find((each) => each.length > 0))?.[0];
    if (head === undefined) return taken;
    if (front === undefined) {
      open.set(head, 0);
      continue;
    }
    front.shift();
    const next = front[0];
    if (front.length > 1 && next !== undefined && !taken.includes(next))
      open.set(next, Math.max(0, (open.get(next) ?? 0) - 1));
    if (!taken.includes(head)) taken.push(head);
  }
}

test("the walk without rescans takes the same steps", () => {
  const fronts = fc.array(fc.array(fc.constantFrom(..."abcdefg"), { maxLength: 7 }), { maxLength: 8 });
  fc.assert(
    fc.property(fronts, (all) => assert.deepEqual(orderFields(all), byRescanning(all))),
    { numRuns: 2_000 },
  );
});
