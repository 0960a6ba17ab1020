import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampDate } from "@bufbuild/protobuf/wkt";
import { NotificationKind, StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { HistoryRecordSchema, HistoryType } from "@realmwatch/proto/svc/v1/query_pb";
import { historyRequestOf, historyTypeFilters, parseHistorySearch } from "./history-search.ts";
import { recordDetails } from "./record-details.ts";

test("history is filtered by a group or by one type, with the type names of the command line", () => {
  const typesOf = (show?: string) => historyRequestOf(show === undefined ? {} : { show }, 0).types;
  assert.deepEqual(typesOf("notification_failed"), [HistoryType.NOTIFICATION_FAILED]);
  assert.equal(typesOf("notifications").length, 4);
  assert.deepEqual(typesOf(), []);
  assert.equal(historyTypeFilters["notification_suppressed"]?.label, "Suppressed");
  assert.equal(Object.keys(historyTypeFilters).length, 23);
});

test("an unknown filter in the address is ignored", () => {
  assert.deepEqual(parseHistorySearch({ show: "toString", realm: "fra" }), { realm: "fra" });
  assert.deepEqual(parseHistorySearch({ show: "handler" }), { show: "handler" });
});

test("the filters of the address are conditions of the request, and a range counts back from the time jumped to", () => {
  const search = parseHistorySearch({ range: "24h", actor: "ann", text: "disk", until: "2026-03-02T12:00:00Z", q: "" });
  assert.deepEqual(search, { range: "24h", actor: "ann", text: "disk", until: "2026-03-02T12:00:00Z" });
  const { since, until, ...conditions } = historyRequestOf(search, 0);
  const conditionsOf = { realm: "", selector: "", contact: "", actor: "ann", search: "disk", types: [] };
  assert.deepEqual(conditions, conditionsOf);
  assert.deepEqual(
    [since, until].map((time) => time && timestampDate(time).toISOString()),
    ["2026-03-01T12:00:00.000Z", "2026-03-02T12:00:00.000Z"],
  );
  assert.deepEqual(historyRequestOf(parseHistorySearch({ range: "1y" }), 0), {
    ...conditionsOf,
    actor: "",
    search: "",
  });
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
  assert.equal(
    words({ type: HistoryType.ACKNOWLEDGED, author: "centre", onBehalfOf: "ann" }),
    "by ann (through centre)",
  );
});
