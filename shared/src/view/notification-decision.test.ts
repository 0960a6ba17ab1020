import assert from "node:assert/strict";
import { test } from "node:test";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import type { Acknowledgement } from "@realmwatch/proto/svc/v1/query_pb";
import {
  type DecisionContext,
  type DecisionPhase,
  decisionPhase,
  isOfEarlierProblem,
} from "./notification-decision.ts";

const nowMs = Date.parse("2026-03-28T17:00:00Z");
const at = (ms: number) => ({ seconds: BigInt(ms / 1_000), nanos: 0, $typeName: "google.protobuf.Timestamp" as const });
const before = at(nowMs - 60_000);
const later = at(nowMs + 60_000);
const acknowledgement = {} as Acknowledgement;

type Row = DecisionContext["row"];
const plain: Row = {
  status: Status.CRITICAL,
  stateType: StateType.HARD,
  inDowntime: false,
  notificationsEnabled: true,
  flapping: false,
};
const holds = "present";
const isOver = "past";

const problems: [reason: string, row: Partial<Row>, until: typeof later | undefined, phase: DecisionPhase][] = [
  ["acknowledged", { acknowledgement }, undefined, holds],
  ["acknowledged", {}, undefined, isOver],
  ["downtime", { inDowntime: true }, later, holds],
  ["downtime", {}, before, isOver],
  ["object_off", { notificationsEnabled: false }, undefined, holds],
  ["object_off", {}, undefined, isOver],
  ["flapping", { flapping: true }, undefined, holds],
  ["flapping", {}, undefined, holds],
  ["soft", {}, undefined, isOver],
  ["dependency", {}, undefined, holds],
  ...["policy_period", "level_period", "contact_period", "host_check_awaited"].flatMap((reason): typeof problems => [
    [reason, {}, later, holds],
    [reason, {}, undefined, holds],
    [reason, {}, before, isOver],
  ]),
  ["kind_disabled", {}, undefined, "when_due"],
];
for (const [reason, row, until, phase] of problems)
  test(`[NO25] ${reason} of a problem is ${phase}: ${JSON.stringify(Object.keys(row))} ${until?.seconds ?? ""}`, () => {
    const present = { row: { ...plain, ...row }, realmNotifications: true, nowMs };
    assert.equal(decisionPhase({ reason, ...(until && { until }) }, present), phase);
  });

test("[NO25] notifications disabled in the realm suppress until the switch is known to be on", () => {
  const phaseOf = (realmNotifications: boolean | undefined) =>
    decisionPhase({ reason: "program_off" }, { row: plain, realmNotifications, nowMs });
  assert.deepEqual([phaseOf(false), phaseOf(undefined), phaseOf(true)], [holds, holds, isOver]);
});

test("[NO25] a decision has no phase, a soft problem is suppressed", () => {
  const present = { row: plain, realmNotifications: true, nowMs };
  assert.equal(decisionPhase({ reason: "decided" }, present), undefined);
  assert.equal(decisionPhase({ reason: "soft" }, { ...present, row: { ...plain, stateType: StateType.SOFT } }), holds);
});

test("[NO25] an object that is well shows why the end of its last problem is not notified, and no reason that is over", () => {
  const well = (reason: string, row: Partial<Row> = {}, until?: typeof later) =>
    decisionPhase(
      { reason, ...(until && { until }) },
      { row: { ...plain, status: Status.OK, ...row }, realmNotifications: true, nowMs },
    );
  assert.equal(well("problem_not_notified"), "end");
  assert.equal(well("downtime", { inDowntime: true }), "end");
  assert.equal(well("policy_period", {}, later), "end");
  for (const phase of [well("flapping"), well("downtime"), well("policy_period", {}, before)])
    assert.equal(phase, undefined);
});

test("[NO25] a delivery is of an earlier problem while none was decided for the present one, a recovery always", () => {
  const { PROBLEM, STATUS_CHANGE, RECOVERY, CUSTOM } = NotificationKind;
  const rows: [kind: NotificationKind, level: number, sentAtLevel: number, earlier: boolean][] = [
    [PROBLEM, 0, 0, true],
    [STATUS_CHANGE, 0, 0, true],
    [RECOVERY, 0, 0, true],
    [CUSTOM, 0, 0, false],
    [PROBLEM, 0, 1, false],
    [PROBLEM, 1, 0, false],
    [RECOVERY, 1, 2, true],
  ];
  for (const [kind, level, sentAtLevel, earlier] of rows)
    assert.equal(isOfEarlierProblem({ kind }, { level, sentAtLevel }), earlier, `${kind} ${level} ${sentAtLevel}`);
});
