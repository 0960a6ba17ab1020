import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { orderFields } from "./field-order.ts";

const ordered = (...literals: string[]): string => orderFields(literals.map((literal) => [...literal])).join("");

test("labels are ordered as CUE orders them", () => {
  assert.equal(ordered(), "");
  assert.equal(ordered("abc"), "abc");
  assert.equal(ordered("a", "b", "a", "c"), "abc");
  // The last label of each literal is taken when no other is left.
  assert.equal(ordered("ab", "cd"), "acbd");
  assert.equal(ordered("abc", "xby"), "axbcy");
  assert.equal(ordered("ab", "ba"), "ab");
  assert.equal(ordered("aba"), "ab");
});

/** CUE's algorithm, which starts again from the first literal after every step. */
function byRescanning(literals: readonly (readonly string[])[]): string[] {
  const rest = literals.map((literal) => [...literal]);
  const later = new Map<string, number>();
  for (const literal of rest) for (const label of literal.slice(1)) later.set(label, (later.get(label) ?? 0) + 1);
  const taken: string[] = [];
  const isFree = (label: string): boolean => taken.includes(label) || (later.get(label) ?? 0) === 0;
  for (;;) {
    const literal = rest.find(([head]) => head !== undefined && isFree(head));
    const head = (literal ?? rest.find((each) => each.length > 0))?.[0];
    if (head === undefined) return taken;
    if (literal === undefined) {
      later.set(head, 0);
      continue;
    }
    literal.shift();
    const next = literal[0];
    if (literal.length > 1 && next !== undefined && !taken.includes(next))
      later.set(next, Math.max(0, (later.get(next) ?? 0) - 1));
    if (!taken.includes(head)) taken.push(head);
  }
}

test("the algorithm without rescans gives the same order", () => {
  const literals = fc.array(fc.array(fc.constantFrom(..."abcdefg"), { maxLength: 7 }), { maxLength: 8 });
  fc.assert(
    fc.property(literals, (all) => assert.deepEqual(orderFields(all), byRescanning(all))),
    { numRuns: 2_000 },
  );
});
