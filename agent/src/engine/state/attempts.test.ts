import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemStatus, Status } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { attemptOf, nextPhase, type Phase, stateTypeOf, statusOf } from "./object-state.ts";

const pending = { kind: "pending" } satisfies Phase;
const ok: Phase = { kind: "ok" };
const soft = (attempt: number, status: ProblemStatus = "critical"): Phase => ({ kind: "soft", status, attempt });
const hard = (status: ProblemStatus): Phase => ({ kind: "hard", status });

const rows: [rule: string, from: Phase, status: Status, max: number, to: Phase][] = [
  ["[ST1] a first ok result gives a hard ok state", pending, "ok", 3, ok],
  ["[ST2] the first problem is soft, attempt 1", ok, "critical", 3, soft(1)],
  ["[ST2] a problem as the first result is soft too", pending, "warning", 3, soft(1, "warning")],
  ["[ST3] a repeated problem increments the attempt", soft(1), "critical", 3, soft(2)],
  ["[ST3] another problem status increments it too", soft(1, "warning"), "unknown", 3, soft(2, "unknown")],
  ["[ST4] the last attempt turns hard, with its own status", soft(2, "warning"), "critical", 3, hard("critical")],
  ["[ST4] with one attempt there is no soft state", ok, "warning", 1, hard("warning")],
  ["[ST5] a soft problem recovers with one result", soft(2), "ok", 3, ok],
  ["[ST6] a hard problem changes to another one with one result", hard("critical"), "warning", 3, hard("warning")],
  ["[ST6] a hard problem recovers with one result", hard("critical"), "ok", 3, ok],
  ["[ST6] the same hard problem stays as it is", hard("critical"), "critical", 3, hard("critical")],
];
for (const [rule, from, status, max, to] of rows) test(rule, () => assert.deepEqual(nextPhase(from, status, max), to));

test("[ST7] while the host is down a problem is hard with its first result", () => {
  assert.deepEqual(nextPhase(ok, "critical", 5, true), hard("critical"));
  assert.deepEqual(nextPhase(soft(1), "critical", 5, true), hard("critical"));
});

test("[ST3] an attempt never exceeds the maximum, and a hard problem shows the maximum", () => {
  const status = fc.constantFrom<Status>("ok", "warning", "critical", "unknown");
  fc.assert(
    fc.property(fc.array(status, { maxLength: 30 }), fc.integer({ min: 1, max: 6 }), (results, max) => {
      let phase: Phase = pending;
      for (const result of results) {
        phase = nextPhase(phase, result, max);
        assert.equal(statusOf(phase), result);
        assert.ok(attemptOf(phase, max) <= max);
        if (result !== "ok" && stateTypeOf(phase) === "hard") assert.equal(attemptOf(phase, max), max);
      }
    }),
  );
});

test("[ST3] after the maximum was lowered a soft problem shows at most the new one", () => {
  assert.equal(attemptOf(soft(4), 2), 2);
});
