import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProcessPlan } from "@realmwatch/shared/config/plan";
import { twoAttemptService } from "../notify/scenario.fixture.ts";
import { runsEventHandlers } from "./event-handlers.ts";
import type { Phase } from "./object-state.ts";

const [pending, ok]: readonly Phase[] = [{ kind: "pending" }, { kind: "ok" }];
const soft = (attempt: number): Phase => ({ kind: "soft", status: "critical", attempt });
const hard = (status: "critical" | "warning" = "critical"): Phase => ({ kind: "hard", status });

const rows: readonly [what: string, before: Phase | undefined, after: Phase | undefined, runs: boolean][] = [
  ["the first ok result", pending, ok, false],
  ["a repeated ok result", ok, ok, false],
  ["the first soft attempt", ok, soft(1), true],
  ["each further one", soft(1), soft(2), true],
  ["the change to hard", soft(2), hard(), true],
  ["a problem that is hard at once", ok, hard(), true],
  ["the first result, a hard problem", pending, hard(), true],
  ["an unchanged hard problem", hard(), hard(), false],
  ["another hard problem", hard("warning"), hard(), true],
  ["a soft recovery", soft(2), ok, true],
  ["a hard recovery", hard(), ok, true],
];

for (const [what, before, after, runs] of rows)
  test(`[EH1] handlers ${runs ? "run" : "do not run"} for ${what}`, () => {
    assert.ok(before !== undefined && after !== undefined);
    assert.equal(runsEventHandlers(twoAttemptService, before, after), runs);
  });

test("[EH1] a process runs no handlers", () => {
  assert.equal(
    runsEventHandlers({ key: { kind: "process", name: "shop" } } as ProcessPlan, { kind: "ok" }, hard()),
    false,
  );
});
