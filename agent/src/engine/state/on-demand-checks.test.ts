import assert from "node:assert/strict";
import { test } from "node:test";
import type { ProblemStatus, Status } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import type { FollowUp } from "../follow-up.ts";
import { nextPhase, type Phase, statusOf } from "./attempts.ts";
import { matchesNeighbourFilter, onDemandChecks } from "./on-demand-checks.ts";

const host = { key: { kind: "host", name: "gw" } } as const;
const pending = { kind: "pending" } as Phase;
const ok: Phase = { kind: "ok" };
const soft = (status: ProblemStatus, attempt = 1): Phase => ({ kind: "soft", status, attempt });
const hard = (status: ProblemStatus): Phase => ({ kind: "hard", status });

const show = (looks: readonly FollowUp[]): string[] =>
  looks.map((look) => ("which" in look ? `${look.kind} ${look.which}` : look.kind));
const looksOf = (before: Phase, after: Phase): string[] =>
  show(onDemandChecks(host, { before, after, maxAttempts: 9 }, { hostDown: false }));

const goesDown = ["check_parents up", "check_children not_unreachable"];
const comesBack = ["check_parents not_up", "check_children not_up"];

const rows: readonly (readonly [rule: string, before: Phase, after: Phase, looks: readonly string[]])[] = [
  ["[HS2, HS3] a first problem that is not confirmed", ok, soft("critical"), [...goesDown, "check_parents all"]],
  ["[HS2, HS3] the same with a host's first result", pending, soft("unknown"), [...goesDown, "check_parents all"]],
  ["[HS2] a warning host is up: its parents alone are asked for", ok, soft("warning"), ["check_parents all"]],
  ["[HS2, HS3] a warning host goes down", soft("warning"), soft("critical", 2), goesDown],
  ["[HS2, HS3] another problem of a host that is down", soft("critical"), soft("unknown", 2), []],
  ["[HS2, HS3] one that is not confirmed comes back", soft("unreachable"), ok, comesBack],
  ["[HS2, HS3] one comes back, though not quite well", soft("critical"), soft("warning", 2), comesBack],
  ["[HS3] a problem is confirmed", soft("critical", 8), hard("critical"), ["check_children all"]],
  ["[HS3] a confirmed one is over", hard("critical"), ok, [...comesBack, "check_children all"]],
  ["[HS3] down becomes unreachable for certain", hard("critical"), hard("unreachable"), ["check_children all"]],
  ["[HS2, HS3] nothing new", hard("critical"), hard("critical"), []],
  ["[HS2, HS3] a first good result", pending, ok, []],
];
for (const [rule, before, after, looks] of rows) test(rule, () => assert.deepEqual(looksOf(before, after), looks));

type Neighbour = { readonly parent: boolean; readonly status: Status };

/** The rule read aloud: what happened to the host, and then neighbour by neighbour whether it is looked at. */
function isLookedAt(before: Phase, after: Phase, { parent, status }: Neighbour): boolean {
  const isDown = (of: Status): boolean => of === "critical" || of === "unknown" || of === "unreachable";
  const isWell = (of: Status): boolean => of === "ok" || of === "pending";
  const [was, is] = [statusOf(before), statusOf(after)];
  if (!isDown(was) && isDown(is) && parent && !isDown(status)) return true;
  if (!isDown(was) && isDown(is) && !parent && status !== "unreachable") return true;
  if (isDown(was) && !isDown(is) && isDown(status)) return true;
  if (isWell(was) && !isWell(is) && parent) return true;
  const certainly = (phase: Phase): string => {
    if (phase.kind !== "hard" || !isDown(phase.status)) return "up";
    return phase.status === "unreachable" ? "unreachable" : "down";
  };
  return certainly(before) !== certainly(after) && !parent;
}

test("[HS2, HS3] whatever results come, those are looked at whom the rule names, read neighbour by neighbour", () => {
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
        const looks = onDemandChecks(host, { before, after: phase, maxAttempts }, { hostDown: false });
        const looked = looks.some(
          (look) =>
            look.kind === (other.parent ? "check_parents" : "check_children") &&
            matchesNeighbourFilter(look.which, other.status),
        );
        assert.equal(looked, isLookedAt(before, phase, other), `${statusOf(before)} -> ${status}`);
      }
    }),
    { numRuns: 2000 },
  );
});
