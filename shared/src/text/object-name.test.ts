import assert from "node:assert/strict";
import { test } from "node:test";
import { nameProblem, visibleForm } from "./object-name.ts";

const problems: [name: string, problem: RegExp | undefined][] = [
  ["web1", undefined],
  ["wéb 1 😀 →", undefined],
  ["we\u0301b", /NFC/],
  ["a\nb", /control character/],
  ["a\u0000", /control character/],
  ["a\u0085", /control character/],
  ["web\u202e1", /bidirectional/],
  ["\u2066web", /bidirectional/],
  ["web\u200f", /bidirectional/],
  ["a\u2028b", /line separator/],
  ["a\u2029b", /line separator/],
];
for (const [name, problem] of problems)
  test(`[PT13] ${JSON.stringify(name)} ${problem === undefined ? "is a name" : `has ${problem.source}`}`, () => {
    if (problem === undefined) assert.equal(nameProblem(name), undefined);
    else assert.match(nameProblem(name) ?? "", problem);
  });

const pairs: [one: string, other: string, alike: boolean][] = [
  ["web1", "wеb1", true],
  ["web1", "we\u200bb1", true],
  ["web 1", "web\u00a01", true],
  ["ﬁle", "file", true],
  ["müller", "muller", false],
  ["web1", "web2", false],
  ["Web1", "web1", false],
];
for (const [one, other, alike] of pairs)
  test(`[PT13] ${JSON.stringify(one)} ${alike ? "looks" : "does not look"} like ${JSON.stringify(other)}`, () =>
    assert.equal(visibleForm(one) === visibleForm(other), alike));
