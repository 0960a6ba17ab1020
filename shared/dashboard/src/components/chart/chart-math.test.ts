import assert from "node:assert/strict";
import { test } from "node:test";
import { alertBands } from "@realmwatch/shared/view/alert-bands";
import fc from "fast-check";
import { displayUnit, formatIn, formatThresholdIn } from "./format-quantity.ts";
import { lineSegments, nearestPoint, summarizePoints } from "./plot-line.ts";
import { axisTicks, plotExtent, timeTicks } from "./scale.ts";

const { POSITIVE_INFINITY: inf, NEGATIVE_INFINITY: low } = Number;

const thresholds: [text: string, bands: [from: number, to: number][]][] = [
  ["", []],
  [
    "10",
    [
      [low, 0],
      [10, inf],
    ],
  ],
  ["10:", [[low, 10]]],
  ["~:10", [[10, inf]]],
  [
    "10:20",
    [
      [low, 10],
      [20, inf],
    ],
  ],
  ["@10:20", [[10, 20]]],
  ["@~:5", [[low, 5]]],
  ["20:10", []],
  ["ten", []],
  ["1:2:3", []],
];
for (const [text, bands] of thresholds)
  test(`threshold ${JSON.stringify(text)} alerts in ${bands.length} ranges`, () =>
    assert.deepEqual(
      alertBands(text),
      bands.map(([from, to]) => ({ from, to })),
    ));

test("all numbers of one perfdata row have one unit", () => {
  const unit = displayUnit(1_610_612_736, "B");
  assert.equal(unit.symbol, "GiB");
  assert.deepEqual(
    ["1073741824", "@1073741824:2147483648", "~:0"].map((text) => formatThresholdIn(text, unit)),
    ["1", "@1:2", "~:0"],
  );
  const seconds = displayUnit(1_500, "ms");
  assert.deepEqual(
    [formatIn(1_500, seconds), formatThresholdIn("500:2000", seconds), seconds.symbol],
    ["1.5", "0.5:2", "s"],
  );
});

test("[DB95] the axis of a plot contains all its values, wherever the ends of alerting ranges are", () => {
  const values = fc.array(fc.double({ min: -1e9, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 5 });
  const ends = fc.array(fc.constantFrom(low, -1e9, -5, 0, 3, 1e6, inf));
  fc.assert(
    fc.property(values, ends, (list, limits) => {
      const { from, to } = plotExtent(list, limits);
      assert.ok(from < to && list.every((value) => from <= value && value <= to), `${from} to ${to}`);
    }),
  );
});

test("ticks of an axis are within its extent, ascending and at most one more than asked for", () => {
  const values = fc.double({ min: -1e9, max: 1e9, noNaN: true });
  fc.assert(
    fc.property(fc.array(values, { minLength: 1, maxLength: 5 }), fc.integer({ min: 2, max: 8 }), (list, count) => {
      const extent = plotExtent(list, []);
      for (const value of list) assert.ok(value >= extent.from && value <= extent.to);
      const ticks = axisTicks(extent, count);
      const slack = (extent.to - extent.from) * 1e-6;
      assert.ok(ticks.length >= 1 && ticks.length <= count + 1, `${ticks.length} of ${count}`);
      for (const [at, tick] of ticks.entries()) {
        assert.ok(tick >= extent.from - slack && tick <= extent.to + slack);
        if (at > 0) assert.ok(tick > (ticks[at - 1] ?? 0));
      }
    }),
  );
});

test("ticks of a time axis are at round times of the zone", () => {
  const day = 86_400_000;
  assert.deepEqual(timeTicks({ from: 0, to: day }, 4, 0), [0, day / 4, day / 2, (day / 4) * 3, day]);
  // Two hours east of UTC, midnight is at 22:00 UTC.
  assert.deepEqual(timeTicks({ from: 0, to: 2 * day }, 2, 7_200_000), [day - 7_200_000, 2 * day - 7_200_000]);
});

test("a line is interrupted where points are missing, and the nearest point is found", () => {
  const points = [0, 10, 20, 100, 110].map((atMs) => ({ atMs, value: atMs }));
  assert.deepEqual(
    lineSegments(points, 30).map((segment) => segment.length),
    [3, 2],
  );
  assert.deepEqual(
    [-5, 4, 6, 60, 61, 999].map((atMs) => nearestPoint(points, atMs)),
    [0, 0, 1, 2, 3, 4],
  );
  assert.equal(nearestPoint([], 5), -1);
  assert.deepEqual(summarizePoints(points), { last: 110, min: 0, max: 110 });
  assert.deepEqual(summarizePoints(points, 150), { last: 150, min: 0, max: 150 });
  assert.equal(summarizePoints([], 150), undefined);
});
