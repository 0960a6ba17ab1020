import assert from "node:assert/strict";
import { test } from "node:test";
import type { RulePlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import { newState, type ObjectState, type Phase } from "../state/object-state.ts";
import { isDependencyRuleFailed, strongestDependency } from "./dependencies.ts";

const refs = (...names: string[]): RulePlan => ({ kind: "worst", of: names.map((ref) => ({ kind: "ref", ref })) });
const of = (phase: Phase, lastHardStatus: Status): ObjectState => ({ ...newState(0), phase, lastHardStatus });
const states: Readonly<Record<string, ObjectState>> = {
  fine: of({ kind: "ok" }, "ok"),
  broken: of({ kind: "hard", status: "critical" }, "critical"),
  soft: of({ kind: "soft", status: "critical", attempt: 1 }, "ok"),
  "soft since its first result": of({ kind: "soft", status: "critical", attempt: 1 }, "pending"),
  unchecked: of({ kind: "pending" }, "pending"),
  unreachable: of({ kind: "hard", status: "unreachable" }, "unreachable"),
};

const fails = (on: RulePlan, failsOn: readonly Status[], how: "hard" | "soft" = "hard"): boolean =>
  isDependencyRuleFailed({ on, failsOn, states: how }, (ref) => states[ref]);

test("[DP1] a dependency has failed while its rule has one of the `fails_on` statuses", () => {
  assert.equal(fails(refs("fine", "broken"), ["critical"]), true);
  assert.equal(fails(refs("fine", "broken"), ["warning", "unknown"]), false);
  assert.equal(fails(refs("fine"), ["ok"]), true);
  assert.equal(fails({ kind: "best", of: [refs("fine"), refs("broken")] }, ["critical"]), false);
  assert.equal(fails(refs("unreachable"), ["critical"]), false, "unreachable is a status of its own");
  assert.equal(fails(refs("unreachable"), ["unreachable"]), true);
});

test("[DP2] hard states count, and with `soft` the current ones", () => {
  assert.equal(fails(refs("soft"), ["critical"]), false);
  assert.equal(fails(refs("soft"), ["critical"], "soft"), true);
});

test("[DP2, DP3] an unchecked object is pending, an object in its first soft problem is not", () => {
  assert.equal(fails(refs("unchecked"), ["pending"]), true);
  assert.equal(fails(refs("missing"), ["pending"]), true);
  assert.equal(fails(refs("soft since its first result"), ["pending"]), false);
  assert.equal(fails(refs("soft since its first result"), ["critical"]), false);
  assert.equal(fails(refs("unchecked", "fine"), ["pending"]), false, "pending children are left out");
});

test("[DP7] `suppress: all` has priority over `suppress: problems`", () => {
  const [first, second, third] = [
    { name: "a", suppress: "problems" },
    { name: "b", suppress: "all" },
    { name: "c", suppress: "all" },
  ] as const;
  assert.equal(strongestDependency([first, second, third]), second);
  assert.equal(strongestDependency([first]), first);
  assert.equal(strongestDependency([]), undefined);
});
