import assert from "node:assert/strict";
import { test } from "node:test";
import type { RulePlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { describeInputs, evaluateRule } from "./business-process.ts";

/** Statuses by letter: each letter of a test's text is one child. */
const letters: Readonly<Record<string, Status>> = {
  o: "ok",
  w: "warning",
  c: "critical",
  u: "unknown",
  p: "pending",
  x: "unreachable",
};
const children = (text: string): RulePlan[] => [...text].map((_, index) => ({ kind: "ref", ref: String(index) }));
const evaluate = (rule: RulePlan, text: string): Status =>
  evaluateRule(rule, (ref) => letters[text[Number(ref)] ?? ""] ?? "pending");

const worst = (text: string): Status => evaluate({ kind: "worst", of: children(text) }, text);
const best = (text: string): Status => evaluate({ kind: "best", of: children(text) }, text);
const degraded = (text: string): Status => evaluate({ kind: "degraded", of: children(text) }, text);
const atLeast =
  (count: number) =>
  (text: string): Status =>
    evaluate({ kind: "at_least", needed: { count }, of: children(text) }, text);
const percent =
  (share: number) =>
  (text: string): Status =>
    evaluate({ kind: "at_least", needed: { percent: share }, of: children(text) }, text);
const not = (text: string): Status => evaluate({ kind: "not", of: { kind: "ref", ref: "0" } }, text);

const rows: [rule: string, of: (text: string) => Status, text: string, expected: Status][] = [
  ["[BP1] all: the worst child", worst, "owu", "unknown"],
  ["[BP1] critical is worse than unknown, unreachable the worst", worst, "ucx", "unreachable"],
  ["[BP2] any: the best child", best, "cwu", "warning"],
  ["[BP3] pending children are left out", worst, "pwp", "warning"],
  ["[BP3] all pending: pending", worst, "ppp", "pending"],
  ["[BP4] at least 2 of 3: the worst of the best two", atLeast(2), "owc", "warning"],
  ["[BP4] at least 2 of 3, two are ok: ok", atLeast(2), "oco", "ok"],
  ["[BP4] fewer children than needed: unknown", atLeast(2), "opp", "unknown"],
  ["[BP4] all pending: pending", atLeast(2), "pp", "pending"],
  ["[BP4] a percentage is rounded up: 50 % of 3 is 2", percent(50), "occ", "critical"],
  ["[BP5] degraded: critical counts as warning", degraded, "oc", "warning"],
  ["[BP5] degraded does not change other statuses", degraded, "ou", "unknown"],
  ["[BP6] not: ok becomes critical", not, "o", "critical"],
  ["[BP6] not: a problem becomes ok", not, "w", "ok"],
  ["[BP6] not: pending stays pending", not, "p", "pending"],
];
for (const [rule, of, text, expected] of rows) test(rule, () => assert.equal(of(text), expected));

test("[BP9] an output names the first inputs with problems and counts the pending ones", () => {
  const output = (text: string) =>
    describeInputs(
      [...text].map((_, index) => `h${index}`),
      (ref) => letters[text[Number(ref.slice(1))] ?? ""] ?? "pending",
    );
  assert.equal(output("o"), "no problem in 1 input");
  assert.equal(output("oop"), "no problem in 3 inputs; 1 not checked yet");
  assert.equal(output("owp"), "problems in 1 of 3 inputs: h1; 1 not checked yet");
  assert.equal(output("ccccccc"), "problems in 7 of 7 inputs: h0, h1, h2, h3, h4, …");
});
