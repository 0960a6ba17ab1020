import type { ObjectRow, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { ObjectAbout, Row } from "../../model/row.ts";
import { acknowledgementOf, commentOf, wireAcknowledgementOf, wireCommentOf } from "./annotation.ts";
import { progressOf, wireProgressOf } from "./notification-progress.ts";
import { downtimeOf, wireDowntimeOf } from "./downtime.ts";
import { objectKindCodec, stateTypeCodec, statusCodec } from "../fields/enums.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { keyOfRef, objectRefOf } from "../fields/object-ref.ts";
import { perfdataOf, wirePerfdataOf } from "./perfdata.ts";
import { durationOf, instantOf, spanOf, timestampOf } from "../fields/time.ts";

type RowFields = Omit<StatusRow, "$typeName" | "$unknown">;

/** What identifies a version of a row to clients; to them it is opaque. */
const revisionOf = (row: Pick<Row, "epoch" | "revision">): string => `${row.epoch}.${row.revision}`;

export const statusRowOf = (row: Row): StatusRow => ({ $typeName: "svc.v1.StatusRow", ...fieldsOf(row) });

export const objectRowOf = (row: Row): ObjectRow => ({
  $typeName: "svc.v1.ObjectRow",
  ...fieldsOf(row),
  labels: row.about.labels,
  parents: [...row.about.parents],
  checkType: row.about.checkType,
  rule: row.about.rule,
});

/** The reverse of `objectRowOf`. Its `realm`, `epoch` and `revision` are the caller's to know. */
export function rowOf(wire: ObjectRow, from: Pick<Row, "realm" | "epoch" | "revision">): Result<Row, Refusal> {
  const reader = fieldReader();
  const { realm, epoch, revision } = from;
  return reader.finish({
    about: aboutOf(reader, wire),
    realm,
    epoch,
    revision,
    ...stateOf(reader, wire),
    ...resultOf(reader, wire),
    ...upkeepOf(reader, wire),
  });
}

function fieldsOf(row: Row): RowFields {
  const { about, toggles } = row;
  return {
    kind: objectKindCodec.toWire(about.key.kind),
    object: objectRefOf(about.key),
    realm: row.realm,
    status: statusCodec.toWire(row.status),
    stateType: stateTypeCodec.toWire(row.stateType),
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    lastHardStatus: statusCodec.toWire(row.lastHardStatus),
    output: row.output,
    longOutput: row.longOutput,
    perfdata: wirePerfdataOf(row.perfdata),
    lastCheck: timestampOf(row.lastCheckAtMs),
    nextCheck: timestampOf(row.nextCheckAtMs),
    lastChange: timestampOf(row.lastChangeAtMs),
    lastHardChange: timestampOf(row.lastHardChangeAtMs),
    latency: durationOf(row.latencyMs),
    executionTime: durationOf(row.executionMs),
    checkSource: row.checkSource,
    flapping: row.flapping,
    flapValue: row.flapValue,
    acknowledgement: row.acknowledgement && wireAcknowledgementOf(row.acknowledgement),
    downtimes: row.downtimes.map(wireDowntimeOf),
    inDowntime: row.inDowntime,
    comments: row.comments.map(wireCommentOf),
    checkPeriod: about.checkPeriod,
    notificationPeriod: about.notificationPeriod,
    notificationsEnabled: toggles.notifications,
    activeChecksEnabled: toggles.activeChecks,
    passiveChecksEnabled: toggles.passiveChecks,
    eventHandlerEnabled: toggles.eventHandler,
    flapDetectionEnabled: toggles.flapDetection,
    zone: about.zone,
    notification: row.notification && wireProgressOf(row.notification),
    suppressedBy: [...row.suppressedBy],
    handled: row.handled,
    revision: revisionOf(row),
  };
}

const aboutOf = (reader: FieldReader, wire: ObjectRow): ObjectAbout => ({
  key: reader.need("object", reader.take(keyOfRef("object", wire.object), undefined), { kind: "host", name: "" }),
  labels: wire.labels,
  parents: wire.parents,
  checkType: wire.checkType,
  rule: wire.rule,
  zone: wire.zone,
  checkPeriod: wire.checkPeriod,
  notificationPeriod: wire.notificationPeriod,
});

const stateOf = (reader: FieldReader, wire: ObjectRow) => ({
  status: reader.need("status", statusCodec.fromWire(wire.status), "pending"),
  stateType: reader.need("stateType", stateTypeCodec.fromWire(wire.stateType), "hard"),
  attempt: wire.attempt,
  maxAttempts: wire.maxAttempts,
  lastHardStatus: reader.need("lastHardStatus", statusCodec.fromWire(wire.lastHardStatus), "pending"),
  lastChangeAtMs: reader.take(instantOf("lastChange", wire.lastChange), undefined),
  lastHardChangeAtMs: reader.take(instantOf("lastHardChange", wire.lastHardChange), undefined),
  flapping: wire.flapping ?? false,
  flapValue: wire.flapValue,
});

const resultOf = (reader: FieldReader, wire: ObjectRow) => ({
  output: wire.output,
  longOutput: wire.longOutput,
  perfdata: perfdataOf(wire.perfdata),
  lastCheckAtMs: reader.take(instantOf("lastCheck", wire.lastCheck), undefined),
  nextCheckAtMs: reader.take(instantOf("nextCheck", wire.nextCheck), undefined),
  latencyMs: reader.take(spanOf("latency", wire.latency), undefined),
  executionMs: reader.take(spanOf("executionTime", wire.executionTime), undefined),
  checkSource: wire.checkSource,
});

const upkeepOf = (reader: FieldReader, wire: ObjectRow) => ({
  acknowledgement: reader.take(acknowledgementOf("acknowledgement", wire.acknowledgement), undefined),
  downtimes: readEach(reader, wire.downtimes, (item, at) => downtimeOf(`downtimes[${at}]`, item)),
  inDowntime: wire.inDowntime ?? false,
  comments: readEach(reader, wire.comments, (item, at) => commentOf(`comments[${at}]`, item)),
  toggles: {
    notifications: wire.notificationsEnabled ?? true,
    activeChecks: wire.activeChecksEnabled ?? true,
    passiveChecks: wire.passiveChecksEnabled ?? true,
    eventHandler: wire.eventHandlerEnabled ?? true,
    flapDetection: wire.flapDetectionEnabled ?? true,
  },
  notification: reader.take(progressOf("notification", wire.notification), undefined),
  suppressedBy: wire.suppressedBy,
  handled: wire.handled ?? false,
});

const readEach = <In, Out>(
  reader: FieldReader,
  items: readonly In[],
  read: (item: In, at: number) => Result<Out, Refusal>,
) => items.flatMap((item, at) => reader.take<readonly Out[]>(asList(read(item, at)), []));

const asList = <T>(result: Result<T, Refusal>): Result<readonly T[], Refusal> =>
  result.ok ? { ok: true, value: [result.value] } : result;
