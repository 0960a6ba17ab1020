import assert from "node:assert/strict";
import { test } from "node:test";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import fc from "fast-check";
import { decodeChunk, encodeChunk, maxBytesPerPoint } from "./chunk-codec.ts";
import type { MetricPoint } from "./metric-point.ts";

const startMs = Date.parse("2026-03-10T12:00:00Z");
const everyMinute = (value: (n: number) => number, count = 240): MetricPoint[] =>
  Array.from({ length: count }, (_, n) => ({ atMs: startMs + n * 60_000, value: value(n) }));

test("[MT1] whole numbers and short decimals are kept exactly, whatever their order and sign", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({ gap: fc.integer({ min: 1, max: 900 }), cents: fc.integer({ min: -200_000, max: 200_000 }) }),
        {
          minLength: 1,
          maxLength: 300,
        },
      ),
      fc.integer({ min: 0, max: 2 }),
      (steps, decimals) => {
        let atMs = startMs;
        const points = steps.map(({ gap, cents }) => {
          atMs += gap * 1000;
          return { atMs, value: cents === 0 ? 0 : cents / 10 ** decimals };
        });
        const chunk = encodeChunk(points);
        // Random digits need more room than any real metric; then digits are shortened.
        if (chunk.length > points.length * maxBytesPerPoint) return;
        assert.deepEqual(decodeChunk(chunk), points);
      },
    ),
  );
});

test("[MT1] every number survives, in order, with a relative error below a thousandth", () => {
  const value = fc.double({ noNaN: true });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 100_000 }), value), { minLength: 1 }), (steps) => {
      let atMs = startMs;
      const points = steps.map(([gap, one]) => {
        atMs += gap;
        return { atMs, value: one };
      });
      const decoded = decodeChunk(encodeChunk(points));
      assert.equal(decoded.length, points.length);
      decoded.forEach((found, at) => {
        const { atMs: expectedAtMs, value: expected } = points[at] as MetricPoint;
        assert.ok(Math.abs(found.atMs - expectedAtMs) <= 500);
        assert.ok(
          found.value === expected || Math.abs(found.value / expected - 1) < 1e-3,
          `${found.value} ${expected}`,
        );
      });
    }),
  );
});

test("[MT1] two points of one second keep their milliseconds", () => {
  const points = [10, 400, 900, 1_700].map((ms) => ({ atMs: startMs + ms, value: ms }));
  assert.deepEqual(decodeChunk(encodeChunk(points)), points);
});

test("[MT1] metrics of real checks take at most the given bytes a point", () => {
  const { upTo } = seededRandom(7);
  const random = (): number => upTo(1);
  const noise = (): number => random() + random() + random() - 1.5;
  const series: Record<string, (n: number) => number> = {
    "response time of a check of ours, all digits": () => 0.012 * (1 + 0.3 * noise()),
    "response time of a plugin": () => Math.round(12_000 * (1 + 0.3 * noise())) / 1e6,
    "free bytes of a disk": (n) => 83_214_012_416 - n * 4096 * Math.round(40 + 30 * noise()),
    "counter of bytes": (n) => n * 75_000_000 + Math.round(1e6 * random()),
    load: () => Math.round(100 * (2 + noise())) / 100,
    "a constant": () => 200,
    percent: () => Math.round(10 * (40 + 20 * noise())) / 10,
  };
  for (const [name, value] of Object.entries(series)) {
    const points = everyMinute(value).map(({ atMs, value: one }) => ({
      atMs: atMs + Math.round(40 * random()),
      value: one,
    }));
    const bytes = encodeChunk(points).length / points.length;
    assert.ok(bytes <= maxBytesPerPoint + 16 / points.length, `${name}: ${bytes} bytes a point`);
  }
});

test("[MT1] a damaged chunk is not decoded", () => {
  const chunk = encodeChunk(everyMinute((n) => n * 1.5));
  assert.throws(() => decodeChunk(chunk.subarray(0, chunk.length - 5)));
});
