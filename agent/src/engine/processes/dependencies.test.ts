import assert from "node:assert/strict";
import { test } from "node:test";
import type { RulePlan } from "@realmwatch/shared/config/plan";
import type { Status } from "@realmwatch/shared/model/status";
import type { Phase } from "../state/attempts.ts";
import { newState, type ObjectState } from "../state/object-state.ts";
import { isDependencyRuleFailed, strongestDependency } from "./dependencies.ts";

const refs = (...names: string[]): RulePlan => ({ kind: "worst", of: names.map((ref) => ({ kind: "ref", ref })) });
const of = (phase: Phase, lastHardStatus: Status): ObjectState => ({ ...newState(0), phase, lastHardStatus });
const states: Readonly<Record<string, ObjectState>> = {
  fine: of({ kind: "ok" }, "ok"),
  broken: of({ kind: "hard", status: "critical" }, "critical"),
  doubtful: of({ kind: "soft", status: "critical", attempt: 1 }, "ok"),
  "doubtful at first sight": of({ kind: "soft", status: "critical", attempt: 1 }, "pending"),
  unchecked: of({ kind: "pending" }, "pending"),
  cut: of({ kind: "hard", status: "unreachable" }, "unreachable"),
};

const fails = (on: RulePlan, failsOn: readonly Status[], how: "hard" | "soft" = "hard"): boolean =>
  isDependencyRuleFailed({ on, failsOn, states: how }, (ref) => states[ref]);

test("[DP1] a dependency holds while its rule says one of what it fails on", () => {
  assert.equal(fails(refs("fine", "broken"), ["critical"]), true);
  assert.equal(fails(refs("fine", "broken"), ["warning", "unknown"]), false);
  assert.equal(fails(refs("fine"), ["ok"]), true);
  assert.equal(fails({ kind: "best", of: [refs("fine"), refs("broken")] }, ["critical"]), false);
  assert.equal(fails(refs("cut"), ["critical"]), false, "unreachable is a status of its own");
  assert.equal(fails(refs("cut"), ["unreachable"]), true);
});

test("[DP2] confirmed states count, and with `soft` the present ones", () => {
  assert.equal(fails(refs("doubtful"), ["critical"]), false);
  assert.equal(fails(refs("doubtful"), ["critical"], "soft"), true);
});

test("[DP2, DP3] pending is what was never checked, not what is not confirmed yet", () => {
  assert.equal(fails(refs("unchecked"), ["pending"]), true);
  assert.equal(fails(refs("nobody"), ["pending"]), true);
  assert.equal(fails(refs("doubtful at first sight"), ["pending"]), false);
  assert.equal(fails(refs("doubtful at first sight"), ["critical"]), false);
  assert.equal(fails(refs("unchecked", "fine"), ["pending"]), false, "what is known counts alone");
});

test("[DP7] the one that silences everything counts before one that silences problems", () => {
  const [first, second, third] = [
    { name: "a", suppress: "problems" },
    { name: "b", suppress: "all" },
    { name: "c", suppress: "all" },
  ] as const;
  assert.equal(strongestDependency([first, second, third]), second);
  assert.equal(strongestDependency([first]), first);
  assert.equal(strongestDependency([]), undefined);
});
