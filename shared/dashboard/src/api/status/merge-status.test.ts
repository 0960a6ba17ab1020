import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { ListStatusResponseSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { mergeStatus } from "./merge-status.ts";
import { wireRefOf } from "./object-key.ts";

const host = (name: string) => wireRefOf({ kind: "host", name });
const row = (name: string, status: Status) => create(StatusRowSchema, { object: host(name), status });
const answer = (fields: MessageInitShape<typeof ListStatusResponseSchema>) => create(ListStatusResponseSchema, fields);
const words = (snapshot: ReturnType<typeof mergeStatus>) =>
  [...snapshot.items].map(([id, item]) => `${id} ${item.statusName}`);

const first = mergeStatus(
  undefined,
  answer({ rows: [row("a", Status.OK), row("b", Status.CRITICAL)], revision: "1" }),
  10,
);

test("the first response replaces everything", () => {
  assert.deepEqual(words(first), ["/a ok", "/b critical"]);
  assert.deepEqual([first.revision, first.atMs], ["1", 10]);
});

test("a later response changes, adds and removes rows", () => {
  const fields = {
    rows: [row("b", Status.OK), row("c", Status.WARNING)],
    removed: [{ object: host("a") }],
    revision: "2",
  };
  const second = mergeStatus(first, answer(fields), 20);
  assert.deepEqual(words(second), ["/b ok", "/c warning"]);
});

test("an empty response keeps the rows and updates their age", () => {
  const second = mergeStatus(first, answer({ revision: "2" }), 20);
  assert.equal(second.items, first.items);
  assert.equal(second.atMs, 20);
});

test("a full response drops all rows that it does not contain, even if it is empty", () => {
  assert.deepEqual(words(mergeStatus(first, answer({ rows: [row("c", Status.OK)], full: true }), 20)), ["/c ok"]);
  assert.deepEqual(words(mergeStatus(first, answer({ full: true }), 20)), []);
});

test("an object that was removed and added again within one response is present", () => {
  const back = mergeStatus(first, answer({ rows: [row("a", Status.UNKNOWN)], removed: [{ object: host("a") }] }), 20);
  assert.deepEqual(words(back), ["/b critical", "/a unknown"]);
});

test("a status of a newer server is displayed as unknown, never as ok", () => {
  const strange = mergeStatus(undefined, answer({ rows: [row("a", 99 as Status)] }), 1);
  assert.deepEqual(words(strange), ["/a unknown"]);
});
