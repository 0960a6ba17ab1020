import assert from "node:assert/strict";
import { test } from "node:test";
import { checkColumns } from "./check-columns.ts";

const check = (dueAtMs: number, latencyMs: number, executionMs: number) => ({
  ...{ dueAtMs, latencyMs, executionMs },
  late: false,
});
const size = { width: 110, height: 52 };

test("[DB68] columns are placed by time, with a gap where no check was seen, and have one scale", () => {
  const columns = checkColumns([check(0, 0, 100), check(10, 50, 50), check(40, 100, 400)], size);
  assert.deepEqual(
    columns.map(({ x, columnWidth, latency, execution }) => [x, columnWidth, latency, execution]),
    [
      [0, 10, 1, 10],
      [25, 10, 5, 5],
      [100, 10, 10, 40],
    ],
  );
});

test("[DB68] columns that are close together are narrow and stay within the width", () => {
  const columns = checkColumns(
    Array.from({ length: 60 }, (_, at) => check(at * 1_000, 1, 1)),
    size,
  );
  const last = columns.at(-1);
  assert.deepEqual([columns[0]?.columnWidth, (last?.x ?? 0) + (last?.columnWidth ?? 0)], [2, 110]);
});
