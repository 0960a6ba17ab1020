import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemStatus, Status } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import type { FollowUp } from "../transition.ts";
import { nextPhase, type Phase, statusOf } from "./object-state.ts";
import { matchesNeighbourFilter, onDemandChecks } from "./on-demand-checks.ts";

const host = { key: { kind: "host", name: "gw" } } as const;
const pending = { kind: "pending" } as Phase;
const ok: Phase = { kind: "ok" };
const soft = (status: ProblemStatus, attempt = 1): Phase => ({ kind: "soft", status, attempt });
const hard = (status: ProblemStatus): Phase => ({ kind: "hard", status });

const show = (checks: readonly FollowUp[]): string[] =>
  checks.map((check) => ("which" in check ? `${check.kind} ${check.which}` : check.kind));
const checksOf = (before: Phase, after: Phase): string[] =>
  show(onDemandChecks(host, { before, after, maxAttempts: 9 }, { hostDown: false }));

const goingDown = ["check_parents up", "check_children not_unreachable"];
const recovering = ["check_parents not_up", "check_children not_up"];

const rows: readonly (readonly [rule: string, before: Phase, after: Phase, checks: readonly string[]])[] = [
  ["[HS2, HS3] a first soft problem", ok, soft("critical"), [...goingDown, "check_parents all"]],
  ["[HS2, HS3] the same with a host's first result", pending, soft("unknown"), [...goingDown, "check_parents all"]],
  ["[HS2] a warning host is up: only its parents are checked", ok, soft("warning"), ["check_parents all"]],
  ["[HS2, HS3] a warning host goes down", soft("warning"), soft("critical", 2), goingDown],
  ["[HS2, HS3] a host that is down changes its status", soft("critical"), soft("unknown", 2), []],
  ["[HS2, HS3] a host with a soft problem recovers", soft("unreachable"), ok, recovering],
  ["[HS2, HS3] a host recovers to warning", soft("critical"), soft("warning", 2), recovering],
  ["[HS3] a problem turns hard", soft("critical", 8), hard("critical"), ["check_children all"]],
  ["[HS3] a hard problem recovers", hard("critical"), ok, [...recovering, "check_children all"]],
  ["[HS3] hard down changes to hard unreachable", hard("critical"), hard("unreachable"), ["check_children all"]],
  ["[HS2, HS3] an unchanged hard problem", hard("critical"), hard("critical"), []],
  ["[HS2, HS3] a first ok result", pending, ok, []],
];
for (const [rule, before, after, checks] of rows) test(rule, () => assert.deepEqual(checksOf(before, after), checks));

type Neighbour = { readonly parent: boolean; readonly status: Status };

/** The rules as they are written, for one neighbour: true when it is checked. */
function isChecked(before: Phase, after: Phase, { parent, status }: Neighbour): boolean {
  const isDown = (of: Status): boolean => of === "critical" || of === "unknown" || of === "unreachable";
  const isOk = (of: Status): boolean => of === "ok" || of === "pending";
  const [was, is] = [statusOf(before), statusOf(after)];
  if (!isDown(was) && isDown(is) && parent && !isDown(status)) return true;
  if (!isDown(was) && isDown(is) && !parent && status !== "unreachable") return true;
  if (isDown(was) && !isDown(is) && isDown(status)) return true;
  if (isOk(was) && !isOk(is) && parent) return true;
  const hardStateOf = (phase: Phase): string => {
    if (phase.kind !== "hard" || !isDown(phase.status)) return "up";
    return phase.status === "unreachable" ? "unreachable" : "down";
  };
  return hardStateOf(before) !== hardStateOf(after) && !parent;
}

test("[HS2, HS3] for all sequences of results exactly the neighbours that the rules name are checked", () => {
  const result = fc.constantFrom<Status>("ok", "warning", "critical", "unknown", "unreachable");
  const neighbour: fc.Arbitrary<Neighbour> = fc.record({
    parent: fc.boolean(),
    status: fc.constantFrom<Status>("ok", "warning", "critical", "unknown", "unreachable", "pending"),
  });
  fc.assert(
    fc.property(fc.array(result, { minLength: 1, maxLength: 8 }), fc.nat(3), neighbour, (results, more, other) => {
      const maxAttempts = 1 + more;
      let phase: Phase = pending;
      for (const status of results) {
        const before = phase;
        phase = nextPhase(before, status, maxAttempts);
        const checks = onDemandChecks(host, { before, after: phase, maxAttempts }, { hostDown: false });
        const isRequested = checks.some(
          (check) =>
            check.kind === (other.parent ? "check_parents" : "check_children") &&
            matchesNeighbourFilter(check.which, other.status),
        );
        assert.equal(isRequested, isChecked(before, phase, other), `${statusOf(before)} -> ${status}`);
      }
    }),
    { numRuns: 2000 },
  );
});
