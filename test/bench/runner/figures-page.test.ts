import assert from "node:assert/strict";
import { test } from "node:test";
import { figuresOf } from "./figure.ts";
import { type FiguresReport, figuresPage, figureText, partLines } from "./figures-page.ts";

const figures = figuresOf([
  [
    { name: "ours", rate: 3_000, unit: "checks/s", cpuMs: 0.25, note: "a|b", against: "Nagios 4" },
    { name: "Nagios 4", rate: 1_000, unit: "checks/s", cpuMs: 0.5 },
  ],
  [
    { name: "ours", rate: 2_000, unit: "checks/s", cpuMs: 0.75, note: "a|b", against: "Nagios 4" },
    { name: "Nagios 4", rate: 1_000, unit: "checks/s" },
  ],
]);
const part = { name: "checks", figures, failures: ["benchBroken: out of <luck>"] };
const report: FiguresReport = {
  ...{ date: "2026-11-28", command: "npm run bench -- --quick", runs: 2, quick: true, machine: "2 × CPU" },
  ...{ versions: { realmwatch: "0.1.0", nagios4: "4.4.6" }, missing: ["icinga2"] },
  ...{ load: { median: 1, min: 0.5, max: 2 }, parts: [part] },
};

test("a number has three significant digits", () => {
  const texts = { 0: "0", 0.01234: "0.0123", 1.005: "1.01", 99.95: "100", 1234.5: "1 230", 1234567: "1 230 000" };
  for (const [value, text] of Object.entries(texts)) assert.equal(figureText(Number(value)), text);
});

test("a terminal shows value, spread, ratio, processor time and note", () => {
  assert.deepEqual(partLines(part), [
    "\nchecks",
    "  ours      2 500 (2 000–3 000) checks/s; 2.5 (2–3) × Nagios 4 with 0.5 × its CPU; 0.5 (0.25–0.75) ms CPU each; a|b",
    "  Nagios 4  1 000 checks/s; 0.5 ms CPU each",
    "  failed: benchBroken: out of <luck>",
  ]);
});

test("the page has the conditions, a table for each part, and what failed or is missing", () => {
  const page = figuresPage(report);
  for (const line of [
    "| not installed | icinga2 |",
    "| versions | realmwatch 0.1.0, nagios4 4.4.6 |",
    "| sizes | those of `--quick`, smaller than the usual ones |",
    "| load average before the benchmarks | 1 (0.5–2) |",
    "`npm run bench -- checks`",
    "| ours (a\\|b) | 2 500 (2 000–3 000) checks/s | 0.5 (0.25–0.75) | 2.5 (2–3) × Nagios 4 with 0.5 × its CPU |",
    "Failed: benchBroken: out of &lt;luck>",
  ])
    assert.ok(page.split("\n").includes(line), `${line}\n${page}`);
  assert.doesNotMatch(figuresPage({ ...report, missing: [] }), /not installed/);
});
