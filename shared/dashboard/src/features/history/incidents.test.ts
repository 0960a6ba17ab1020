import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { foldIncidents, type IncidentStep } from "./incidents.ts";

const { OK, WARNING, CRITICAL } = Status;
type Given = [second: number, MessageInitShape<typeof HistoryRecordSchema>];

const state = (status: Status, previousStatus: Status, soft?: number) => ({
  ...{ type: HistoryType.STATE, status, previousStatus, output: "said" },
  ...{ stateType: soft === undefined ? StateType.HARD : StateType.SOFT, attempt: soft ?? 3 },
});
const note = (
  type: HistoryType,
  contact: string,
  notificationKind: NotificationKind = NotificationKind.PROBLEM,
  output = "",
) => ({
  ...{ type, contact, notificationKind, output },
  because: { reason: "decided" },
});
const { NOTIFICATION, NOTIFICATION_QUEUED, NOTIFICATION_FAILED, NOTIFICATION_SUPPRESSED, COMMENT_ADDED } = HistoryType;

/** Folds records given oldest first, and returns them newest first, as the server does. */
const fold = (given: readonly Given[]) =>
  foldIncidents(
    given
      .map(([second, record], at) =>
        create(HistoryRecordSchema, { id: `${at + 1}`, at: timestampFromMs(second * 1_000), ...record }),
      )
      .reverse(),
  );

function stepText(step: IncidentStep): string {
  const second = step.atMs / 1_000;
  switch (step.kind) {
    case "state":
      return `${second} ${step.status}${step.soft ? ` soft ${step.soft.first}-${step.soft.last}` : ""}`;
    case "notification":
      return `${second} notified ${step.deliveries.map(({ contact, state: what, error }) => `${contact} ${what}${error}`).join(", ")}`;
    case "suppressed":
      return `${second} suppressed ${step.record.because?.reason} x${step.count}`;
    case "record":
      return `${second} ${step.record.author}`;
  }
}

test("a problem from its first attempt to its recovery is one incident with its deliveries", () => {
  const incidents = fold([
    [5, { type: COMMENT_ADDED }],
    [10, state(CRITICAL, OK, 1)],
    [20, state(CRITICAL, CRITICAL, 2)],
    [30, state(CRITICAL, CRITICAL)],
    [30, note(NOTIFICATION_QUEUED, "ann")],
    [30, note(NOTIFICATION_QUEUED, "desk")],
    [31, note(NOTIFICATION, "ann")],
    [35, { type: HistoryType.ACKNOWLEDGED, author: "ann" }],
    [90, note(NOTIFICATION_FAILED, "desk", NotificationKind.PROBLEM, " refused")],
    [100, state(OK, CRITICAL)],
    [100, note(NOTIFICATION_QUEUED, "ann", NotificationKind.RECOVERY)],
    [101, note(NOTIFICATION, "ann", NotificationKind.RECOVERY)],
    [200, { type: COMMENT_ADDED }],
  ]);
  assert.equal(incidents.length, 1);
  const [incident] = incidents;
  assert.deepEqual(
    [incident?.fromMs, incident?.toMs, incident?.worst, incident?.softOnly],
    [10_000, 100_000, "critical", false],
  );
  assert.deepEqual(incident?.steps.map(stepText), [
    "10 critical soft 1-2",
    "30 critical",
    "30 notified ann delivered, desk given up refused",
    "35 ann",
    "100 ok",
    "100 notified ann delivered",
  ]);
});

test("incidents are newest first; one that lasts has no end, one that recovered softly says so", () => {
  const incidents = fold([
    [10, state(WARNING, OK, 1)],
    [20, state(OK, WARNING)],
    [30, state(WARNING, OK)],
    [40, state(CRITICAL, WARNING)],
  ]);
  assert.deepEqual(
    incidents.map(({ fromMs, toMs, worst, softOnly }) => [fromMs, toMs, worst, softOnly]),
    [
      [30_000, undefined, "critical", false],
      [10_000, 20_000, "warning", true],
    ],
  );
});

test("an incident whose beginning is older than the records is marked", () => {
  const [incident] = fold([[10, state(CRITICAL, WARNING)]]);
  assert.equal(incident?.isCut, true);
  assert.deepEqual(fold([[10, state(OK, CRITICAL)]]), []);
});

test("suppressions with one reason are one step, until the state changes", () => {
  const suppressed = (reason: string) => ({ type: NOTIFICATION_SUPPRESSED, because: { reason } });
  const [incident] = fold([
    [10, state(CRITICAL, OK)],
    [10, suppressed("acknowledged")],
    [20, suppressed("downtime")],
    [30, suppressed("acknowledged")],
    [40, state(WARNING, CRITICAL)],
    [40, suppressed("acknowledged")],
  ]);
  assert.deepEqual(incident?.steps.map(stepText), [
    "10 critical",
    "10 suppressed acknowledged x2",
    "20 suppressed downtime x1",
    "40 warning",
    "40 suppressed acknowledged x1",
  ]);
});

test("a second notification to the same contact is a step of its own", () => {
  const [incident] = fold([
    [10, state(CRITICAL, OK)],
    [10, note(NOTIFICATION_QUEUED, "ann")],
    [11, note(NOTIFICATION, "ann")],
    [70, note(NOTIFICATION_QUEUED, "ann")],
    [75, note(NOTIFICATION, "ann")],
  ]);
  assert.deepEqual(incident?.steps.map(stepText), [
    "10 critical",
    "10 notified ann delivered",
    "70 notified ann delivered",
  ]);
});
