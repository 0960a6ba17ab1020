import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { historyTypes, readHistorySearch, typesOf } from "./history-search.ts";
import { wordsOf } from "./record-words.ts";

test("history is narrowed to a group or to any one type, by the words of the command line", () => {
  assert.deepEqual(typesOf({ show: "notification_failed" }), [HistoryType.NOTIFICATION_FAILED]);
  assert.equal(typesOf({ show: "notifications" }).length, 3);
  assert.deepEqual(typesOf({}), []);
  assert.equal(historyTypes["notification_suppressed"]?.label, "Kept quiet");
  assert.equal(Object.keys(historyTypes).length, 18);
});

test("an address that asks for what there is not asks for everything", () => {
  assert.deepEqual(readHistorySearch({ show: "toString", realm: "fra" }), { realm: "fra" });
  assert.deepEqual(readHistorySearch({ show: "handler" }), { show: "handler" });
});

const words = (record: MessageInitShape<typeof HistoryRecordSchema>): string =>
  wordsOf(create(HistoryRecordSchema, record)).join(" · ");

test("a message says what it was about and at which level", () => {
  const { NOTIFICATION, STATE, DOWNTIME_START } = HistoryType;
  const told = { type: NOTIFICATION, contact: "desk", level: 1, notificationKind: NotificationKind.STATUS_CHANGE };
  assert.equal(words(told), "status change · level 1");
  assert.equal(
    words({ type: STATE, previousStatus: Status.OK, stateType: StateType.SOFT, attempt: 2 }),
    "from ok, soft, attempt 2",
  );
  const downtime = { kind: { case: "recurring", value: { name: "patch night" } } } as const;
  assert.equal(words({ type: DOWNTIME_START, downtime }), "recurring, patch night");
  assert.equal(words({ type: HistoryType.ACKNOWLEDGED, author: "centre", onBehalfOf: "ann" }), "by centre for ann");
});
