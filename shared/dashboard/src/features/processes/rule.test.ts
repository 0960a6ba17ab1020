import assert from "node:assert/strict";
import { test } from "node:test";
import type { Status } from "@realmwatch/shared/model/status";
import { leavesOf, parseRule, type RuleChild, type RuleNode, ruleTreeOf } from "./rule.ts";

/** Evaluates over children that are named after their status: `critical1`. */
function evaluate(raw: unknown, selected: readonly string[] = []): RuleNode<RuleChild> {
  const parsed = parseRule(JSON.stringify(raw));
  assert.ok(parsed);
  const child = (id: string): RuleChild => ({ id, status: id.replace(/\d$/, "") as Status });
  return ruleTreeOf(parsed.rule, { byRef: child, bySelector: () => selected.map(child) });
}

const deciding = ({ parts, children }: RuleNode<RuleChild>): string[] => [
  ...children.filter(({ decides }) => decides).map(({ child }) => child.id),
  ...parts.flatMap(deciding),
];
const refs = (...of: string[]) => of.map((ref) => ({ ref }));

const cases: [name: string, raw: unknown, status: Status, deciding: string[]][] = [
  ["one object", { ref: "critical" }, "critical", ["critical"]],
  ["an ok object, which decides nothing", { ref: "ok" }, "ok", []],
  ["all", { all: refs("ok", "warning", "critical1", "critical2") }, "critical", ["critical1", "critical2"]],
  ["all, with an unreachable child", { all: refs("unreachable", "critical") }, "unreachable", ["unreachable"]],
  ["any", { any: refs("critical", "warning") }, "warning", ["warning"]],
  ["any, with an ok child", { any: refs("critical", "ok") }, "ok", []],
  [
    "at least two",
    { at_least: { count: 2, of: refs("ok", "critical", "warning") } },
    "warning",
    ["critical", "warning"],
  ],
  ["at least 75 %", { at_least: { percent: 75, of: refs("ok1", "ok2", "ok3", "critical") } }, "ok", []],
  ["at least two of one", { at_least: { count: 2, of: refs("ok", "pending") } }, "unknown", []],
  ["at least two, all pending", { at_least: { count: 2, of: refs("pending1", "pending2") } }, "pending", []],
  ["degraded", { degraded: refs("critical", "ok") }, "warning", ["critical"]],
  ["not", { not: { ref: "ok" } }, "critical", ["ok"]],
  ["not of a problem", { not: { ref: "critical" } }, "ok", []],
  ["not of pending", { not: { ref: "pending" } }, "pending", []],
  ["nested", { all: [{ any: refs("critical", "ok") }, { degraded: refs("critical1") }] }, "warning", ["critical1"]],
];
for (const [name, raw, status, expected] of cases)
  test(`the rule of ${name} is ${status}`, () => {
    const node = evaluate(raw);
    assert.deepEqual([node.status, deciding(node)], [status, expected]);
  });

test("a selector takes the worst of what it matches", () => {
  const node = evaluate({ select: "tier=web" }, ["ok", "warning1", "warning2"]);
  assert.deepEqual([node.status, deciding(node)], ["warning", ["warning1", "warning2"]]);
});

test("the references and selectors of a rule are collected from all its parts", () => {
  const parsed = parseRule(JSON.stringify({ all: [{ ref: "a!b" }, { not: { select: "x=y" } }] }));
  assert.deepEqual(parsed && leavesOf(parsed.rule), { refs: ["a!b"], selectors: ["x=y"] });
});

test("the settings of the process are beside its rule, and have their defaults without", () => {
  const rule = { kind: "ref", ref: "a" } as const;
  const settings = { states: "soft", ignore: ["downtime"] } as const;
  assert.deepEqual(parseRule(JSON.stringify({ ref: "a", ...settings })), { rule, ...settings });
  assert.deepEqual(parseRule(JSON.stringify({ ref: "a" })), { rule, states: "hard", ignore: [] });
});

test("a rule of an unknown kind, or without JSON, is not parsed", () => {
  assert.equal(parseRule(JSON.stringify({ all: [{ median: [] }] })), undefined);
  assert.equal(parseRule(""), undefined);
});
