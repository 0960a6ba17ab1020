import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, isTest, read, withoutComments } from "./sources.ts";

const banned =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|(?<!\.)set(Timeout|Interval)\(|Math\.random\(|randomUUID\(|from "node:timers)/;
const exempt = (file: string): boolean => isTest(file) || file.startsWith("shared/src/platform/");

test("only shared/src/platform reads the system clock or uses a source of randomness", () => {
  const found = filesOf("{shared,shared/cli,agent,aggregator}/src/**/*.ts")
    .filter((file) => !exempt(file))
    .flatMap((file) => linesWith(banned, file));
  assert.deepEqual(found, []);
});

test("in shared/src/platform only system-clock.ts uses real timers", () => {
  const timers = /\b(Date\.now\(|new Date\(\)|(?<!\.)set(Timeout|Interval)\()/;
  const found = filesOf("shared/src/platform/**/*.ts")
    .filter((file) => !isTest(file) && file !== "shared/src/platform/system-clock.ts")
    .flatMap((file) => linesWith(timers, file));
  assert.deepEqual(found, []);
});

test("in shared/src/platform only random.ts calls Math.random", () => {
  const found = filesOf("shared/src/platform/**/*.ts")
    .filter((file) => !isTest(file) && file !== "shared/src/platform/random.ts")
    .flatMap((file) => linesWith(/\bMath\.random\(/, file));
  assert.deepEqual(found, []);
});

function linesWith(pattern: RegExp, file: string): string[] {
  return withoutComments(read(file).text)
    .split("\n")
    .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []));
}
