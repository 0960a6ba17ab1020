import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import { ListStatusResponseSchema, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { type StatusItem, statusItemOf } from "../status/status-item.ts";
import { bulkRowsRequest, rowsOfResponse } from "./bulk-rows.ts";
import {
  awaitedRealms,
  type BulkRun,
  countsOf,
  isComplete,
  isFollowed,
  waitingRealms,
  withAttempt,
  withOutcomes,
  withRows,
} from "./bulk-run.ts";

const rowOf = (realm: string, name: string, output = "") =>
  create(StatusRowSchema, { realm, object: objectKeyToProto({ kind: "service", host: name, name: "disk" }), output });
const itemOf = (realm: string, name: string): StatusItem => statusItemOf(rowOf(realm, name)) as StatusItem;

/** A run for two objects in each realm, whose effect is the output `done`. */
function runFor(...realms: readonly string[]): BulkRun {
  const items = realms.map((realm) => [realm, [itemOf(realm, "web1"), itemOf(realm, "web2")]] as const);
  return {
    id: 1,
    label: "acknowledgement",
    startedAtMs: 0,
    settledAtMs: undefined,
    realms: waitingRealms(new Map(items), (row) => row?.output === "done"),
    effectRows: "problems",
    startRevision: "r1",
    revision: "r1",
    inDialog: false,
    retry() {},
  };
}

const seen = (...rows: readonly (readonly [realm: string, name: string])[]) =>
  new Map(rows.map(([realm, name]) => [`${realm}/${name}!disk`, rowOf(realm, name, "done")]));
const accepted = (realm: string) => ({ realm, downtimeIds: [], error: undefined });
const failed = (realm: string) => ({ realm, downtimeIds: [], error: new ConnectError("gone", Code.Unavailable) });

test("[DB65] a realm is awaited until its answer, or until all of its rows have the effect", () => {
  let run = runFor("fra", "dub");
  assert.deepEqual(awaitedRealms(run), ["dub", "fra"]);
  run = withRows(run, seen(["fra", "web1"], ["dub", "web1"]));
  assert.deepEqual(awaitedRealms(run), ["dub", "fra"]);
  run = withRows(run, seen(["fra", "web2"]));
  assert.deepEqual(awaitedRealms(run), ["dub"]);
  assert.deepEqual(countsOf(run), { total: 4, accepted: 0, failed: 0, unknown: 0, visible: 3, visibleAccepted: 0 });
  run = withOutcomes(run, [accepted("fra"), accepted("dub")], 5);
  assert.deepEqual(awaitedRealms(run), []);
  assert.deepEqual(countsOf(run), { total: 4, accepted: 4, failed: 0, unknown: 0, visible: 3, visibleAccepted: 3 });
});

test("[DB65] rows without the effect, other rows and rows that were counted change nothing", () => {
  const run = withRows(runFor("fra"), seen(["fra", "web1"]));
  assert.equal(withRows(run, seen(["fra", "web1"], ["fra", "web9"])), run);
  assert.equal(withRows(run, new Map([["fra/web2!disk", rowOf("fra", "web2", "not yet")]])), run);
});

test("[DB65] a run is complete when all objects are accepted and visible, and followed for 60 s after the answer", () => {
  let run = withRows(runFor("fra"), seen(["fra", "web1"], ["fra", "web2"]));
  assert.equal(isComplete(run), false);
  run = withOutcomes(runFor("fra"), [accepted("fra")], 1_000);
  assert.deepEqual([isComplete(run), isFollowed(run, 60_999), isFollowed(run, 61_000)], [false, true, false]);
  run = withRows(run, seen(["fra", "web1"], ["fra", "web2"]));
  assert.deepEqual([isComplete(run), isFollowed(run, 2_000)], [true, false]);
});

test("[DB66] a retry waits for the failed realms again and keeps the others", () => {
  let run = withOutcomes(runFor("fra", "dub"), [accepted("fra"), failed("dub")], 5);
  assert.deepEqual(countsOf(run), { total: 4, accepted: 2, failed: 2, unknown: 0, visible: 0, visibleAccepted: 0 });
  run = withAttempt(run, { realms: ["dub"], hasEffect: () => true, atMs: 9 });
  assert.deepEqual([awaitedRealms(run), run.startedAtMs, run.settledAtMs], [["dub"], 9, undefined]);
  run = withRows(run, seen(["dub", "web1"], ["dub", "web2"]));
  assert.deepEqual(countsOf(run), { total: 4, accepted: 2, failed: 0, unknown: 0, visible: 2, visibleAccepted: 0 });
});

test("[DB65] the rows are asked for by realms, kinds, hosts and condition; after an answer since the start again", () => {
  const run = { ...runFor("fra", 'a"b'), revision: "r9" };
  const { selector, ...rest } = bulkRowsRequest(run);
  assert.equal(selector, String.raw`@realm in ("a\"b","fra"),@host in ("web1","web2")`);
  const common = { kinds: [ObjectKind.SERVICE], changesOnly: true, omitRealms: true };
  assert.deepEqual(rest, { ...common, problemsOnly: true, withDowntimes: false, changedSince: "r9" });
  assert.equal(bulkRowsRequest(withOutcomes(run, [accepted("fra")], 1)).changedSince, "r1");
  const half = withRows(run, seen(["fra", "web1"], ["fra", "web2"]));
  assert.equal(bulkRowsRequest(half).selector, String.raw`@realm in ("a\"b"),@host in ("web1","web2")`);
  assert.equal(bulkRowsRequest(runFor("")).selector, '@host in ("web1","web2")');
});

test("[DB65] an object that is no longer among the rows matches no longer; without a revision each that has no row", () => {
  const run = runFor("fra");
  const removed = [{ realm: "fra", object: objectKeyToProto({ kind: "service", host: "web1", name: "disk" }) }];
  const changes = rowsOfResponse(create(ListStatusResponseSchema, { rows: [rowOf("fra", "web2")], removed }), run);
  assert.deepEqual([...changes.keys()], ["fra/web1!disk", "fra/web2!disk"]);
  assert.equal(changes.get("fra/web1!disk"), undefined);
  const all = rowsOfResponse(create(ListStatusResponseSchema, {}), { ...run, revision: "" });
  assert.deepEqual([...all.keys()], ["fra/web1!disk", "fra/web2!disk"]);
});

test("[DB65] a realm without an answer has accepted the command when all of its rows have the effect", () => {
  const late = { realm: "dub", downtimeIds: [], error: new ConnectError("no answer", Code.DeadlineExceeded) };
  let run = withOutcomes(runFor("dub"), [late], 5);
  assert.deepEqual(countsOf(run), { total: 2, accepted: 0, failed: 2, unknown: 2, visible: 0, visibleAccepted: 0 });
  run = withRows(run, seen(["dub", "web1"]));
  assert.deepEqual([run.realms[0]?.answer.kind, isComplete(run)], ["failed", false]);
  run = withRows(run, seen(["dub", "web2"]));
  assert.deepEqual([run.realms[0]?.answer.kind, isComplete(run)], ["accepted", true]);
});
