import assert from "node:assert/strict";
import { test } from "node:test";
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { RealmFreshness, RealmSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { realmFreshnessOf } from "@realmwatch/shared/view/realm-freshness";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { freshnessCell, heldRowsText, realmNotes } from "./format-realm.ts";
import type { Screen } from "./table.ts";

const nowMs = Date.parse("2026-03-29T01:00:00Z");
const screen: Screen = { columns: undefined, colours: false, nowMs, zone: "Europe/Berlin" };
const threeMinutesAgo = timestampToProto(nowMs - 180_000);
const realm = (fields: MessageInitShape<typeof RealmSchema>) => create(RealmSchema, { name: "fra", ...fields });

const notes: [fields: MessageInitShape<typeof RealmSchema>, notes: string[]][] = [
  [{ freshness: RealmFreshness.CURRENT, detail: "not proven" }, []],
  [
    { freshness: RealmFreshness.BEHIND, behindSince: threeMinutesAgo, detail: "SVC_STATE is full" },
    ["realm fra has been behind for 3m: SVC_STATE is full"],
  ],
  [
    { freshness: RealmFreshness.REBUILDING, rowsHeld: 5, rowsExpected: 12 },
    ["realm fra is being rebuilt, 5 of 12 rows so far"],
  ],
  [{ freshness: RealmFreshness.CONFLICT, detail: "agents a and b" }, ["realm fra is in conflict: agents a and b"]],
  [
    { freshness: RealmFreshness.UNREACHABLE, lastSeen: threeMinutesAgo, rowsHeld: 1204 },
    ["realm fra is unreachable, last seen 3m ago, 1204 rows as of then"],
  ],
  [{ freshness: RealmFreshness.UNREACHABLE }, ["realm fra is unreachable and was never seen"]],
  [{ freshness: RealmFreshness.UNKNOWN, rowsHeld: 1 }, ["realm fra is unknown, 1 row last known"]],
];
for (const [fields, expected] of notes)
  test(`a realm that is ${realmFreshnessOf(realm(fields))} has the notes ${JSON.stringify(expected)}`, () =>
    assert.deepEqual(realmNotes([realm(fields)], screen), expected));

test("a realm without freshness is judged by its heartbeats, one with a freshness of a newer server is unknown", () => {
  assert.equal(realmFreshnessOf(realm({ reachable: true })), "current");
  assert.equal(realmFreshnessOf(realm({ reachable: false })), "unreachable");
  assert.equal(realmFreshnessOf(realm({ reachable: true, freshness: 99 as RealmFreshness })), "unknown");
});

test("only a current realm is green", () => {
  const greens = [0, 1, 2, 3, 4, 5, 6, 99].filter(
    (freshness) =>
      freshnessCell(realm({ freshness: freshness as RealmFreshness, reachable: false })).colour === "green",
  );
  assert.deepEqual(greens, [RealmFreshness.CURRENT]);
});

test("rows held and expected are counted where the server counts them", () => {
  assert.equal(heldRowsText(realm({ freshness: RealmFreshness.BEHIND, rowsHeld: 398, rowsExpected: 412 })), "398/412");
  assert.equal(heldRowsText(realm({ freshness: RealmFreshness.UNKNOWN, rowsHeld: 398 })), "398/-");
  assert.equal(heldRowsText(realm({ reachable: true })), "");
});
