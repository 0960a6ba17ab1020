import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { BenchRow } from "../bench-row.ts";
import { figuresOf, pairRuns, spreadOfRuns } from "./figure.ts";

const row = (name: string, rate: number, more: Partial<BenchRow> = {}): BenchRow => ({
  name,
  rate,
  unit: "/s",
  ...more,
});

test("a spread has the middle, the smallest and the largest value", () => {
  assert.deepEqual(spreadOfRuns([5, 1, 3]), { median: 3, min: 1, max: 5 });
  assert.deepEqual(spreadOfRuns([4, 1, 2, 3]), { median: 2.5, min: 1, max: 4 });
  assert.deepEqual(spreadOfRuns([7]), { median: 7, min: 7, max: 7 });
});

test("half of the values are at most the median, and half are at least it", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ noNaN: true, min: -1e9, max: 1e9 }), { minLength: 1 }), (values) => {
      const { median, min, max } = spreadOfRuns(values);
      const half = Math.ceil(values.length / 2);
      assert.ok(min <= median && median <= max);
      assert.ok(values.filter((value) => value <= median).length >= Math.floor(values.length / 2));
      assert.ok(values.filter((value) => value >= median).length >= values.length - half);
    }),
  );
});

test("a ratio is formed within each run, so that a slow run does not change it", () => {
  const runOf = (speed: number) => [row("ours", 30 * speed, { against: "theirs" }), row("theirs", 10 * speed)];
  const [ours, theirs] = figuresOf([runOf(1), runOf(0.2), runOf(2)]);
  assert.deepEqual(ours?.ratios, [{ against: "theirs", spread: { median: 3, min: 3, max: 3 } }]);
  assert.deepEqual(ours?.spread, { median: 30, min: 6, max: 60 });
  assert.deepEqual(theirs?.ratios, []);
});

test("a measurement is compared with each peer that was found, and with no other", () => {
  const against = ["Nagios 4", "Icinga 2"];
  const [ours] = figuresOf([[row("ours", 6, { against, cpuMs: 0.5 }), row("Icinga 2", 2, { cpuMs: 2 })]]);
  assert.deepEqual(
    ours?.ratios.map((ratio) => [ratio.against, ratio.spread.median, ratio.cpu?.median]),
    [["Icinga 2", 3, 0.25]],
  );
  assert.equal(ours?.cpuMs?.median, 0.5);
});

test("a measurement that one run lacks has the values of the others", () => {
  const [ours] = figuresOf([[row("ours", 1)], [], [row("ours", 3)]]);
  assert.deepEqual(ours?.values, [1, 3]);
});

test("two builds are compared by the measurements that both have", () => {
  const pairs = [{ here: [row("a", 4, { against: "b" }), row("b", 1)], there: [row("a", 2), row("c", 9)] }];
  const figures = figuresOf(pairRuns(pairs));
  assert.deepEqual(
    figures.map(({ name, ratios }) => [name, ratios.map(({ against, spread }) => [against, spread.median])]),
    [
      ["a, before", []],
      ["a", [["a, before", 2]]],
    ],
  );
});
