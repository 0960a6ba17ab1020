import assert from "node:assert/strict";
import { test } from "node:test";
import { shiftRange } from "./shift-range.ts";

const now = "2026-03-28T14:20";
const rows: readonly (readonly [since: string | undefined, until: string | undefined, from: string, to: string])[] = [
  ["06:00", undefined, "2026-03-28T06:00", now],
  ["22:00", "now", "2026-03-27T22:00", now],
  ["06:00", "14:00", "2026-03-28T06:00", "2026-03-28T14:00"],
  ["14:00", "14:00", "2026-03-27T14:00", "2026-03-28T14:00"],
  ["14:00", "22:00", "2026-03-27T14:00", "2026-03-27T22:00"],
  ["12h", undefined, "2026-03-28T02:20", now],
  [undefined, "06:00", "2026-03-27T22:00", "2026-03-28T06:00"],
  ["7", "7", "2026-03-28T06:20", now],
];
for (const [since, until, from, to] of rows)
  test(`a shift since ${since} until ${until}`, () => {
    const { sinceMs, untilMs } = shiftRange({ since, until }, Date.parse(`${now}Z`), "utc");
    assert.deepEqual(
      [sinceMs, untilMs].map((ms) => new Date(ms).toISOString().slice(0, 16)),
      [from, to],
    );
  });
