import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { type DowntimeSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { groupDowntimes, searchDowntimes } from "./downtime-list.ts";
import { statusItemOf } from "./status-item.ts";

const at = (hour: number) => timestampFromMs(hour * 3_600_000);
const inRealm = (realm: string, name: string, ...downtimes: MessageInitShape<typeof DowntimeSchema>[]) => {
  const item = statusItemOf(
    create(StatusRowSchema, { realm, object: { ref: { case: "host", value: { name } } }, downtimes }),
  );
  assert.ok(item);
  return item;
};
const window = { start: at(1), end: at(3), author: "ann", comment: "power" };

const host = (name: string, ...downtimes: MessageInitShape<typeof DowntimeSchema>[]) =>
  inRealm("fra", name, ...downtimes);

test("[DB105] downtimes of one change are one group over all realms, those in effect first", () => {
  const changeId = "c1";
  const groups = groupDowntimes([
    host("a", { id: "1", ...window, changeId }, { id: "9", ...window, start: at(0), comment: "later" }),
    inRealm("ams", "b", { id: "2", ...window, changeId, inEffect: true }),
    host("c", { id: "3", ...window, comment: "other" }),
  ]);
  assert.deepEqual(groups[0]?.realms, ["ams", "fra"]);
  const found = (text: string) => searchDowntimes(groups, text).map(({ comment }) => comment);
  assert.deepEqual(
    [found("POWER ams"), found("c oth"), found("ann"), found("x9")],
    [["power"], ["other"], ["power", "later", "other"], []],
  );
  assert.deepEqual(
    groups.map(({ comment, parts, inEffect }) => [comment, inEffect, parts.map(({ id, name }) => `${id} ${name}`)]),
    [
      ["power", true, ["1 a", "2 b"]],
      ["later", false, ["9 a"]],
      ["other", false, ["3 c"]],
    ],
  );
});

test("a recurring downtime of several objects is one group", () => {
  const recurring = { id: "recurring:night", kind: { case: "recurring", value: { name: "night" } } } as const;
  const [group, ...others] = groupDowntimes([
    host("a", { ...window, ...recurring }),
    host("b", { ...window, ...recurring }),
  ]);
  assert.deepEqual([group?.kind, group?.parts.length, others.length], ["recurring", 2, 0]);
});
