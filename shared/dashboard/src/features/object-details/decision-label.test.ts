import assert from "node:assert/strict";
import { test } from "node:test";
import type { Acknowledgement } from "@realmwatch/proto/svc/v1/query_pb";
import { decisionLabel } from "./decision-label.ts";

const nowMs = Date.parse("2026-03-28T17:00:00Z");
const at = (ms: number) => ({ seconds: BigInt(ms / 1_000), nanos: 0, $typeName: "google.protobuf.Timestamp" as const });
const before = at(nowMs - 60_000);
const later = at(nowMs + 60_000);
const acknowledgement = {} as Acknowledgement;

type Row = Parameters<typeof decisionLabel>[1]["row"];
const plain: Row = { acknowledgement: undefined, inDowntime: false, notificationsEnabled: true, flapping: false };
const holds = "Suppressed: ";
const isOver = "Was suppressed: ";
const ofTheEnd = "About the end of the last problem: ";

const problems: [reason: string, row: Partial<Row>, until: ReturnType<typeof at> | undefined, label: string][] = [
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
  ["kind_disabled", {}, undefined, "Suppressed when it was due: "],
];
for (const [reason, row, until, label] of problems)
  test(`[NO25] ${reason} of a problem is labelled ${JSON.stringify(label)}: ${JSON.stringify(Object.keys(row))} ${until === undefined ? "" : until === later ? "later" : "before"}`, () => {
    const item = { problem: true, soft: false, row: { ...plain, ...row } };
    assert.equal(decisionLabel({ reason, ...(until && { until }) }, item, nowMs), label);
  });

test("[NO25] a decision has no label, a soft problem is suppressed", () => {
  assert.equal(decisionLabel({ reason: "decided" }, { problem: true, soft: false, row: plain }, nowMs), undefined);
  assert.equal(decisionLabel({ reason: "soft" }, { problem: true, soft: true, row: plain }, nowMs), holds);
});

test("[NO25] an object that is well shows why the end of its last problem is not notified, and no reason that is over", () => {
  const well = (reason: string, row: Partial<Row> = {}, until?: typeof later) =>
    decisionLabel(
      { reason, ...(until && { until }) },
      { problem: false, soft: false, row: { ...plain, ...row } },
      nowMs,
    );
  assert.equal(well("problem_not_notified"), ofTheEnd);
  assert.equal(well("downtime", { inDowntime: true }), ofTheEnd);
  assert.equal(well("policy_period", {}, later), ofTheEnd);
  for (const label of [well("flapping"), well("downtime"), well("policy_period", {}, before)])
    assert.equal(label, undefined);
});
