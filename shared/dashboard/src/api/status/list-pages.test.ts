import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { type ListStatusResponse, ListStatusResponseSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { firstPages, itemAt, loadedItems, pageRows, withChanges, withoutPages, withPage } from "./list-pages.ts";
import { listOrderOf } from "./list-request.ts";

const host = (name: string) => objectKeyToProto({ kind: "host", name });
const answer = (
  names: readonly string[],
  { total = names.length, removed = [] as readonly string[], status = Status.OK as Status, revision = "r1" } = {},
): ListStatusResponse =>
  create(ListStatusResponseSchema, {
    rows: names.map((name) => ({ kind: ObjectKind.HOST, object: host(name), status })),
    removed: removed.map((name) => ({ realm: "", object: host(name) })),
    summary: { counts: [{ kind: ObjectKind.HOST, status: Status.OK, count: total }] },
    revision,
  });
const names = (from: number, count: number): string[] => Array.from({ length: count }, (_, at) => `web${from + at}`);
const nameOf = (item: { readonly key: { readonly name: string } } | undefined): string | undefined => item?.key.name;
const options = { order: listOrderOf("severity"), atMs: 2 };

test("[LP1] pages hold the rows of their numbers, and a row of a page that is not loaded is undefined", () => {
  const list = withPage(firstPages(0, answer(names(0, pageRows), { total: 500 }), 1), 2, answer(names(400, 100)));
  assert.deepEqual([list.length, list.total, list.outdated], [500, 500, false]);
  assert.deepEqual(
    [0, 199, 200, 400, 499, 500].map((at) => nameOf(itemAt(list, at))),
    [...["web0", "web199", undefined, "web400", "web499", undefined]],
  );
  assert.deepEqual(loadedItems(list).map(nameOf), [...names(0, 200), ...names(400, 100)]);
  assert.deepEqual([...withoutPages(list, (number) => number === 2).pages.keys()], [2]);
});

test("[LP1] a row that two pages have shows that the order has changed between them", () => {
  const first = firstPages(0, answer(names(0, pageRows), { total: 400 }), 1);
  assert.equal(withPage(first, 1, answer(names(200, 200))).outdated, false);
  assert.equal(withPage(first, 1, answer(names(199, 200))).outdated, true);
  assert.equal(withPage(first, 0, answer(names(0, 200))).outdated, false);
});

test("[LP2] a changed row is replaced in its place, and only a change of its position makes the list outdated", () => {
  const before = firstPages(0, answer(["web0", "web1", "web2"]), 1);
  const same = withChanges(before, answer(["web1"], { total: 3, revision: "r2" }), options);
  assert.deepEqual([same.outdated, same.revision, same.atMs], [false, "r2", 2]);
  const moved = withChanges(before, answer(["web1"], { total: 3, status: Status.CRITICAL }), options);
  assert.deepEqual(loadedItems(moved).map(nameOf), ["web0", "web1", "web2"]);
  assert.deepEqual([moved.outdated, itemAt(moved, 1)?.statusName], [true, "critical"]);
  const byName = { ...options, order: listOrderOf("name") };
  assert.equal(withChanges(before, answer(["web1"], { total: 3, status: Status.CRITICAL }), byName).outdated, false);
});

test("[LP3] a row that no longer matches stays in its place, marked, until it matches again", () => {
  const before = firstPages(0, answer(["web0", "web1"]), 1);
  const gone = withChanges(before, answer([], { total: 1, removed: ["web1", "elsewhere"] }), options);
  assert.deepEqual([[...gone.removed].length, gone.outdated, gone.total, gone.length], [1, true, 1, 2]);
  assert.deepEqual(loadedItems(gone).map(nameOf), ["web0", "web1"]);
  const back = withChanges(gone, answer(["web1"], { total: 2 }), options);
  assert.deepEqual([back.removed.size, back.total], [0, 2]);
});

test("[LP4] a row that now belongs into a loaded page makes the list outdated, one below it does not", () => {
  const before = firstPages(0, answer(names(100, pageRows), { total: 500 }), 1);
  const below = withChanges(before, answer(["web400"], { total: 500 }), options);
  const within = withChanges(before, answer(["web150x"], { total: 500 }), options);
  const above = withChanges(before, answer(["web400"], { total: 500, status: Status.CRITICAL }), options);
  assert.deepEqual([below.outdated, within.outdated, above.outdated], [false, true, true]);
});

test("[LP4] a change of a row that is not loaded changes no page", () => {
  const before = firstPages(0, answer(names(0, pageRows), { total: 500 }), 1);
  const after = withChanges(before, answer(["web450"], { total: 500 }), options);
  assert.equal(after.pages.get(0), before.pages.get(0));
  assert.equal(after.outdated, false);
});
