import assert from "node:assert/strict";
import { test } from "node:test";
import { formatInstant } from "@realmwatch/shared/text/instant";
import { readTime, type TimeFrame } from "./read-time.ts";

const frame: TimeFrame = { fromMs: Date.parse("2026-03-28T17:00:00Z"), zone: "Europe/Berlin", direction: "future" };
const cases: [text: string, utc: string, direction?: TimeFrame["direction"]][] = [
  ["now", "2026-03-28T17:00:00Z"],
  ["+90m", "2026-03-28T18:30:00Z"],
  ["-90m", "2026-03-28T15:30:00Z"],
  ["2h", "2026-03-28T19:00:00Z"],
  ["2h", "2026-03-28T15:00:00Z", "past"],
  ["22:00", "2026-03-28T21:00:00Z"],
  ["02:00", "2026-03-29T01:00:00Z"],
  ["04:00", "2026-03-29T02:00:00Z"],
  ["18:00", "2026-03-29T16:00:00Z"],
  ["22:00", "2026-03-27T21:00:00Z", "past"],
  ["7d", "2026-03-21T17:00:00Z", "past"],
  ["+1d12h", "2026-03-30T05:00:00Z"],
  ["2026-03-30", "2026-03-29T22:00:00Z"],
  ["2026-03-30 22:00", "2026-03-30T20:00:00Z"],
  ["2026-03-30T22:00:15", "2026-03-30T20:00:15Z"],
  ["2026-03-30T22:00:00Z", "2026-03-30T22:00:00Z"],
];
for (const [text, utc, direction = "future"] of cases)
  test(`${text} is ${utc}, direction ${direction}`, () => {
    const read = readTime(text, { ...frame, direction });
    assert.equal(read.ok && formatInstant(read.value), utc);
  });

for (const text of [
  "",
  "tomorrow",
  "25:00",
  "2026-02-30 10:00",
  "2026-02-30",
  "1dd",
  "5",
  "+",
  "-now",
  "1 h",
  "10:00Z",
])
  test(`not a time: ${JSON.stringify(text)}`, () => {
    const read = readTime(text, frame);
    assert.match(read.ok ? "" : read.error, /^is not a time: write /);
  });
