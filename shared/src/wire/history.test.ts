import assert from "node:assert/strict";
import { test } from "node:test";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { RealmCatalogSchema, RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import fc from "fast-check";
import type { Catalog } from "../model/catalog.ts";
import { type HistoryRecord, historyTypes } from "../model/history.ts";
import { notificationKinds } from "../model/notification.ts";
import { statuses } from "../model/status.ts";
import { allProgramTogglesOn } from "../model/toggles.ts";
import {
  acknowledgementArbitrary,
  commentArbitrary,
  downtimeArbitrary,
  notificationDecisionArbitrary,
  objectKeyArbitrary,
  timestampMsArbitrary,
} from "../row/row-arbitrary.fixture.ts";
import { catalogFromProto, catalogToProto } from "./catalog.ts";
import { realmEventFromProto, realmEventToProto } from "./history.ts";
import { realmToProto } from "./realm.ts";

const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });

const recordArbitrary = fc
  .record(
    {
      seq: fc.maxSafeNat(),
      realm: fc.constant("eu"),
      atMs: timestampMsArbitrary,
      type: fc.constantFrom(...historyTypes),
      key: objectKeyArbitrary,
      status: fc.constantFrom(...statuses),
      previousStatus: fc.constantFrom(...statuses),
      stateType: fc.constantFrom("soft" as const, "hard" as const),
      attempt: fc.integer({ min: 1, max: 100 }),
      output: text,
      author: text,
      onBehalfOf: text,
      comment: text,
      notice: fc.tuple(fc.constantFrom(...notificationKinds), fc.nat({ max: 9 })),
      contact: text,
      because: notificationDecisionArbitrary,
      downtimeId: text,
      changeId: text,
      divergedFrom: text,
      possibleDuplicate: fc.constant(true as const),
      commentId: text,
      acknowledgement: acknowledgementArbitrary,
      downtime: downtimeArbitrary,
      deletedComment: commentArbitrary,
      stoppedAtMs: timestampMsArbitrary,
    },
    { requiredKeys: ["seq", "realm", "atMs", "type"], noNullPrototype: true },
  )
  .map(
    ({ notice, ...record }): HistoryRecord =>
      notice === undefined ? record : { ...record, notificationKind: notice[0], level: notice[1] },
  );

test("[WI7] a history record survives the conversion to a message and back", () => {
  fc.assert(
    fc.property(recordArbitrary, (record) => {
      const bytes = toBinary(RealmEventSchema, realmEventToProto(record, "eu"));
      assert.deepEqual(realmEventFromProto(fromBinary(RealmEventSchema, bytes)), { ok: true, value: record });
    }),
  );
});

test("[WI7] a message without a valid record is refused with the name of the field", () => {
  const event = realmEventToProto({ seq: 1, realm: "eu", atMs: 0, type: "config" }, "eu");
  const { record } = event;
  assert.ok(record);
  const broken = {
    record: { ...event, record: undefined },
    seq: { ...event, seq: 2n ** 63n },
    "record.at": { ...event, record: { ...record, at: undefined } },
    "record.type": { ...event, record: { ...record, type: 77 as 0 } },
  };
  for (const [field, message] of Object.entries(broken)) {
    const result = realmEventFromProto(message);
    assert.ok(!result.ok && result.error.kind === "malformed" && result.error.field === field, field);
  }
});

const catalog: Catalog = {
  realm: "eu",
  contacts: [
    {
      ...{ name: "ops", type: "email", labels: { team: "a" }, notificationPeriod: "" },
      ...{ notificationsEnabled: false, mutedBy: "centre", onBehalfOf: "ann", mutedComment: "on holiday" },
      ...{ mutedAtMs: 1_000, mutedUntilMs: 9_000 },
      remaining: {
        uncovered: [{ policy: "web", level: 2, objects: 12 }],
        ...{ uncoveredPolicies: 3, uncoveredObjects: 14, others: ["bea"] },
      },
      ...{ queued: 2, failingSinceMs: 5_000, lastError: "refused", lastDeliveredAtMs: 4_000 },
    },
  ],
  views: [{ name: "prod", selector: "env=prod", description: "Production", saved: true, author: "ann" }],
  sinks: [{ name: "db", type: "archive", input: "events", selector: "" }],
  panels: [{ name: "cpu", title: "CPU", unit: "%", selector: "" }],
  slos: [{ name: "gold", selector: "tier=gold", target: 99.9, period: "" }],
  toggles: { ...allProgramTogglesOn, activeChecks: false },
};

test("[WI8] a catalog survives the conversion to a message and back", () => {
  const message = catalogToProto({ ...catalog, realm: "" }, { realm: "eu", epoch: 1, revision: 2, atMs: 3 });
  const back = fromBinary(RealmCatalogSchema, toBinary(RealmCatalogSchema, message));
  assert.deepEqual(catalogFromProto(back), { ok: true, value: catalog });
  assert.deepEqual([back.epoch, back.revision, back.at?.nanos], [1n, 2n, 3_000_000]);
  for (const sink of back.sinks) sink.input = "traces";
  assert.equal(catalogFromProto(back).ok, false);
});

test("[WI8] a realm that was never reachable has no time of its last message", () => {
  const realm = realmToProto({
    name: "eu",
    reachable: false,
    lastSeenAtMs: undefined,
    description: "",
    labels: {},
    clockSkewMs: undefined,
    toggles: undefined,
    freshness: "unreachable",
    behindSinceMs: undefined,
    rowsHeld: 0,
    rowsExpected: 0,
    detail: "",
    version: "",
  });
  assert.equal(realm.reachable, false);
  assert.deepEqual([realm.lastSeen, realm.clockSkew, realm.toggles], [undefined, undefined, undefined]);
});
