import type { ObjectRow, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { ObjectMetadata, Row } from "../../model/row.ts";
import { acknowledgementFromProto, commentFromProto, acknowledgementToProto, commentToProto } from "./annotation.ts";
import { notificationProgressFromProto, notificationProgressToProto } from "./notification-progress.ts";
import { downtimeFromProto, downtimeToProto } from "./downtime.ts";
import { objectKindCodec, stateTypeCodec, statusCodec } from "../fields/enums.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "../fields/object-ref.ts";
import { perfdataFromProto, perfdataToProto } from "./perfdata.ts";
import { durationToProto, timestampFromProto, durationFromProto, timestampToProto } from "../fields/time.ts";

type RowFields = Omit<StatusRow, "$typeName" | "$unknown">;

/** What identifies a version of a row to clients; to them it is opaque. */
const revisionOf = (row: Pick<Row, "epoch" | "revision">): string => `${row.epoch}.${row.revision}`;

export const statusRowToProto = (row: Row): StatusRow => ({ $typeName: "svc.v1.StatusRow", ...sharedFieldsToProto(row) });

export const objectRowToProto = (row: Row): ObjectRow => ({
  $typeName: "svc.v1.ObjectRow",
  ...sharedFieldsToProto(row),
  labels: row.about.labels,
  parents: [...row.about.parents],
  checkType: row.about.checkType,
  rule: row.about.rule,
});

/** The reverse of `objectRowOf`. Its `realm`, `epoch` and `revision` are the caller's to know. */
export function objectRowFromProto(wire: ObjectRow, from: Pick<Row, "realm" | "epoch" | "revision">): Result<Row, Refusal> {
  const reader = fieldReader();
  const { realm, epoch, revision } = from;
  return reader.finish({
    about: aboutFromProto(reader, wire),
    realm,
    epoch,
    revision,
    ...stateFromProto(reader, wire),
    ...resultFromProto(reader, wire),
    ...maintenanceFromProto(reader, wire),
  });
}

function sharedFieldsToProto(row: Row): RowFields {
  const { about, toggles } = row;
  return {
    kind: objectKindCodec.toProto(about.key.kind),
    object: objectKeyToProto(about.key),
    realm: row.realm,
    status: statusCodec.toProto(row.status),
    stateType: stateTypeCodec.toProto(row.stateType),
    attempt: row.attempt,
    maxAttempts: row.maxAttempts,
    lastHardStatus: statusCodec.toProto(row.lastHardStatus),
    output: row.output,
    longOutput: row.longOutput,
    perfdata: perfdataToProto(row.perfdata),
    lastCheck: timestampToProto(row.lastCheckAtMs),
    nextCheck: timestampToProto(row.nextCheckAtMs),
    lastChange: timestampToProto(row.lastChangeAtMs),
    lastHardChange: timestampToProto(row.lastHardChangeAtMs),
    latency: durationToProto(row.latencyMs),
    executionTime: durationToProto(row.executionMs),
    checkSource: row.checkSource,
    flapping: row.flapping,
    flapValue: row.flapValue,
    acknowledgement: row.acknowledgement && acknowledgementToProto(row.acknowledgement),
    downtimes: row.downtimes.map(downtimeToProto),
    inDowntime: row.inDowntime,
    comments: row.comments.map(commentToProto),
    checkPeriod: about.checkPeriod,
    notificationPeriod: about.notificationPeriod,
    notificationsEnabled: toggles.notifications,
    activeChecksEnabled: toggles.activeChecks,
    passiveChecksEnabled: toggles.passiveChecks,
    eventHandlerEnabled: toggles.eventHandler,
    flapDetectionEnabled: toggles.flapDetection,
    zone: about.zone,
    notification: row.notification && notificationProgressToProto(row.notification),
    suppressedBy: [...row.suppressedBy],
    handled: row.handled,
    revision: revisionOf(row),
  };
}

const aboutFromProto = (reader: FieldReader, wire: ObjectRow): ObjectMetadata => ({
  key: reader.need("object", reader.take(objectKeyFromProto("object", wire.object), undefined), { kind: "host", name: "" }),
  labels: wire.labels,
  parents: wire.parents,
  checkType: wire.checkType,
  rule: wire.rule,
  zone: wire.zone,
  checkPeriod: wire.checkPeriod,
  notificationPeriod: wire.notificationPeriod,
});

const stateFromProto = (reader: FieldReader, wire: ObjectRow) => ({
  status: reader.need("status", statusCodec.fromProto(wire.status), "pending"),
  stateType: reader.need("stateType", stateTypeCodec.fromProto(wire.stateType), "hard"),
  attempt: wire.attempt,
  maxAttempts: wire.maxAttempts,
  lastHardStatus: reader.need("lastHardStatus", statusCodec.fromProto(wire.lastHardStatus), "pending"),
  lastChangeAtMs: reader.take(timestampFromProto("lastChange", wire.lastChange), undefined),
  lastHardChangeAtMs: reader.take(timestampFromProto("lastHardChange", wire.lastHardChange), undefined),
  flapping: wire.flapping ?? false,
  flapValue: wire.flapValue,
});

const resultFromProto = (reader: FieldReader, wire: ObjectRow) => ({
  output: wire.output,
  longOutput: wire.longOutput,
  perfdata: perfdataFromProto(wire.perfdata),
  lastCheckAtMs: reader.take(timestampFromProto("lastCheck", wire.lastCheck), undefined),
  nextCheckAtMs: reader.take(timestampFromProto("nextCheck", wire.nextCheck), undefined),
  latencyMs: reader.take(durationFromProto("latency", wire.latency), undefined),
  executionMs: reader.take(durationFromProto("executionTime", wire.executionTime), undefined),
  checkSource: wire.checkSource,
});

const maintenanceFromProto = (reader: FieldReader, wire: ObjectRow) => ({
  acknowledgement: reader.take(acknowledgementFromProto("acknowledgement", wire.acknowledgement), undefined),
  downtimes: readEach(reader, wire.downtimes, (item, at) => downtimeFromProto(`downtimes[${at}]`, item)),
  inDowntime: wire.inDowntime ?? false,
  comments: readEach(reader, wire.comments, (item, at) => commentFromProto(`comments[${at}]`, item)),
  toggles: {
    notifications: wire.notificationsEnabled ?? true,
    activeChecks: wire.activeChecksEnabled ?? true,
    passiveChecks: wire.passiveChecksEnabled ?? true,
    eventHandler: wire.eventHandlerEnabled ?? true,
    flapDetection: wire.flapDetectionEnabled ?? true,
  },
  notification: reader.take(notificationProgressFromProto("notification", wire.notification), undefined),
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
