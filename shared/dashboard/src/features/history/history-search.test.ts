import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { historyFilterOf, historyTypeFilters, historyTypesOf, parseHistorySearch } from "./history-search.ts";
import { recordDetails } from "./record-details.ts";

test("history is filtered by a group or by one type, with the type names of the command line", () => {
  assert.deepEqual(historyTypesOf({ show: "notification_failed" }), [HistoryType.NOTIFICATION_FAILED]);
  assert.equal(historyTypesOf({ show: "notifications" }).length, 4);
  assert.deepEqual(historyTypesOf({}), []);
  assert.equal(historyTypeFilters["notification_suppressed"]?.label, "Suppressed");
  assert.equal(Object.keys(historyTypeFilters).length, 19);
});

test("an unknown filter in the address is ignored", () => {
  assert.deepEqual(parseHistorySearch({ show: "toString", realm: "fra" }), { realm: "fra" });
  assert.deepEqual(parseHistorySearch({ show: "handler" }), { show: "handler" });
});

test("loaded records are filtered by contact and by who acted", () => {
  const records = [{ contact: "desk" }, { author: "Ann" }, { author: "centre", onBehalfOf: "ann" }].map((fields) =>
    create(HistoryRecordSchema, fields),
  );
  const found = (search: Parameters<typeof historyFilterOf>[0]) =>
    records.map((record) => historyFilterOf(search)?.(record) ?? true);
  assert.deepEqual(found({}), [true, true, true]);
  assert.deepEqual(found({ contact: "desk" }), [true, false, false]);
  assert.deepEqual(found({ actor: "ann" }), [false, true, true]);
  assert.deepEqual(parseHistorySearch({ range: "24h", actor: "ann", q: "" }), { range: "24h", actor: "ann" });
  assert.deepEqual(parseHistorySearch({ range: "1y" }), {});
});

const words = (record: MessageInitShape<typeof HistoryRecordSchema>): string =>
  recordDetails(create(HistoryRecordSchema, record)).join(" · ");

test("details of a notification contain its kind and level", () => {
  const { NOTIFICATION, STATE, DOWNTIME_START } = HistoryType;
  const notification = {
    type: NOTIFICATION,
    contact: "desk",
    level: 1,
    notificationKind: NotificationKind.STATUS_CHANGE,
  };
  assert.equal(words(notification), "status change · level 1");
  assert.equal(
    words({ type: STATE, previousStatus: Status.OK, stateType: StateType.SOFT, attempt: 2 }),
    "from ok, soft, attempt 2",
  );
  const downtime = { kind: { case: "recurring", value: { name: "patch night" } } } as const;
  assert.equal(words({ type: DOWNTIME_START, downtime }), "recurring, patch night");
  assert.equal(words({ type: HistoryType.ACKNOWLEDGED, author: "centre", onBehalfOf: "ann" }), "by centre for ann");
});
