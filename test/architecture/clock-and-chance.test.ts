import assert from "node:assert/strict";
import { test } from "node:test";
import { filesOf, isTest, read, withoutComments } from "./sources.ts";

const banned =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|(?<!\.)set(Timeout|Interval)\(|Math\.random\(|randomUUID\(|from "node:timers)/;
/** Time has one door, chance has one floor. */
const exempt = (file: string): boolean => isTest(file) || file.startsWith("shared/src/tools/");

test("only shared/src/tools asks the real clock or rolls dice", () => {
  const found = filesOf("{shared,shared/cli,agent,aggregator}/src/**/*.ts")
    .filter((file) => !exempt(file))
    .flatMap((file) => linesWith(banned, file));
  assert.deepEqual(found, []);
});

test("of the tools, only system-clock.ts keeps real timers", () => {
  const timers = /\b(Date\.now\(|new Date\(\)|(?<!\.)set(Timeout|Interval)\()/;
  const found = filesOf("shared/src/tools/**/*.ts")
    .filter((file) => !isTest(file) && file !== "shared/src/platform/system-clock.ts")
    .flatMap((file) => linesWith(timers, file));
  assert.deepEqual(found, []);
});

function linesWith(pattern: RegExp, file: string): string[] {
  return withoutComments(read(file).text)
    .split("\n")
    .flatMap((line, at) => (pattern.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : []));
}
