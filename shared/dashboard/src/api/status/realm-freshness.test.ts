import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { ObjectKind, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { RealmFreshness, RealmSchema, StatusRowSchema, StatusSummarySchema } from "@realmwatch/proto/svc/v1/query_pb";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { countProblems } from "./count-problems.ts";
import { lastKnownAtMs, staleCheckOf } from "./realm-freshness.ts";
import { statusItemOf } from "./status-item.ts";

const realm = (fields: MessageInitShape<typeof RealmSchema>) => create(RealmSchema, { name: "fra", ...fields });
const item = (realmName: string, fields: MessageInitShape<typeof StatusRowSchema> = {}) => {
  const object = objectKeyToProto({ kind: "host", name: "web1" });
  const made = statusItemOf(create(StatusRowSchema, { object, realm: realmName, status: Status.CRITICAL, ...fields }));
  assert.ok(made);
  return made;
};

test("a realm without freshness is judged by its heartbeats, one with a freshness of a newer server is unknown", () => {
  assert.equal(realmFreshnessOf(realm({ reachable: true })), "current");
  assert.equal(realmFreshnessOf(realm({ reachable: false })), "unreachable");
  assert.equal(realmFreshnessOf(realm({ reachable: true, freshness: 99 as RealmFreshness })), "unknown");
});

test("only rows of a current realm are not stale, whatever their own mark says", () => {
  for (const freshness of [0, 1, 2, 3, 4, 5, 6, 99] as RealmFreshness[]) {
    const isStale = staleCheckOf([realm({ freshness, reachable: false })]);
    for (const stale of [true, false])
      assert.equal(isStale(item("fra", { stale })), freshness !== RealmFreshness.CURRENT, `${freshness} ${stale}`);
  }
});

test("a row of a realm that is not listed is stale if the server says so; those of an agent never are", () => {
  const isStale = staleCheckOf([]);
  assert.deepEqual(
    [isStale(item("fra", { stale: true })), isStale(item("fra")), isStale(item(""))],
    [true, false, false],
  );
});

test("rows are known as of the time up to which they were complete, else of the last message", () => {
  const lastSeen = timestampFromMs(60_000);
  assert.equal(lastKnownAtMs(realm({ lastSeen, behindSince: timestampFromMs(20_000) })), 20_000);
  assert.equal(lastKnownAtMs(realm({ lastSeen })), 60_000);
  assert.equal(lastKnownAtMs(realm({})), undefined);
});

test("unhandled problems are counted by current and last known, and without any only current realms are ok", () => {
  const counts = [
    { kind: ObjectKind.HOST, status: Status.WARNING, count: 1 },
    { kind: ObjectKind.SERVICE, status: Status.CRITICAL, count: 1 },
  ];
  const unhandled = create(StatusSummarySchema, { counts, unhandled: 2, lastKnown: { unhandled: 1 } });
  assert.deepEqual(countProblems(unhandled, false), { current: 1, stale: 1, behind: 0, worst: "critical" });
  assert.deepEqual(countProblems(undefined, true), { current: 0, stale: 0, behind: 0, worst: "ok" });
  assert.deepEqual(countProblems(undefined, false), { current: 0, stale: 0, behind: 0, worst: "pending" });
});
