import type { ObjectRow, StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { ObjectMetadata, Row } from "../../model/row.ts";
import { objectKindCodec, stateTypeCodec, statusCodec } from "../fields/enums.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { objectKeyFromProto, objectKeyToProto } from "../fields/object-ref.ts";
import { durationFromProto, durationToProto, timestampFromProto, timestampToProto } from "../fields/time.ts";
import { acknowledgementFromProto, acknowledgementToProto, commentFromProto, commentToProto } from "./annotation.ts";
import { downtimeFromProto, downtimeToProto } from "./downtime.ts";
import { notificationProgressFromProto, notificationProgressToProto } from "./notification-progress.ts";
import { perfdataFromProto, perfdataToProto } from "./perfdata.ts";

type RowFields = Omit<StatusRow, "$typeName" | "$unknown">;

/** Version of a row for clients, which treat it as opaque. */
const revisionToProto = (row: Pick<Row, "epoch" | "revision">): string => `${row.epoch}.${row.revision}`;

export const statusRowToProto = (row: Row): StatusRow => ({
  $typeName: "svc.v1.StatusRow",
  ...sharedFieldsToProto(row),
});

export const objectRowToProto = (row: Row): ObjectRow => ({
  $typeName: "svc.v1.ObjectRow",
  ...sharedFieldsToProto(row),
  labels: row.about.labels,
  parents: [...row.about.parents],
  checkType: row.about.checkType,
  rule: row.about.rule,
});

/** The reverse of `objectRowToProto`. The caller supplies `realm`, `epoch` and `revision`. */
export function objectRowFromProto(
  proto: ObjectRow,
  from: Pick<Row, "realm" | "epoch" | "revision">,
): Result<Row, Refusal> {
  const reader = fieldReader();
  const { realm, epoch, revision } = from;
  return reader.finish({
    about: aboutFromProto(reader, proto),
    realm,
    epoch,
    revision,
    ...stateFromProto(reader, proto),
    ...resultFromProto(reader, proto),
    ...maintenanceFromProto(reader, proto),
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
    overdueAt: timestampToProto(row.overdueAtMs),
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
    truncated: row.truncated,
    revision: revisionToProto(row),
  };
}

const aboutFromProto = (reader: FieldReader, proto: ObjectRow): ObjectMetadata => ({
  key: reader.need("object", reader.take(objectKeyFromProto("object", proto.object), undefined), {
    kind: "host",
    name: "",
  }),
  labels: proto.labels,
  parents: proto.parents,
  checkType: proto.checkType,
  rule: proto.rule,
  zone: proto.zone,
  checkPeriod: proto.checkPeriod,
  notificationPeriod: proto.notificationPeriod,
});

const stateFromProto = (reader: FieldReader, proto: ObjectRow) => ({
  status: reader.need("status", statusCodec.fromProto(proto.status), "pending"),
  stateType: reader.need("stateType", stateTypeCodec.fromProto(proto.stateType), "hard"),
  attempt: proto.attempt,
  maxAttempts: proto.maxAttempts,
  lastHardStatus: reader.need("lastHardStatus", statusCodec.fromProto(proto.lastHardStatus), "pending"),
  lastChangeAtMs: reader.take(timestampFromProto("lastChange", proto.lastChange), undefined),
  lastHardChangeAtMs: reader.take(timestampFromProto("lastHardChange", proto.lastHardChange), undefined),
  flapping: proto.flapping ?? false,
  flapValue: proto.flapValue,
});

const resultFromProto = (reader: FieldReader, proto: ObjectRow) => ({
  output: proto.output,
  longOutput: proto.longOutput,
  perfdata: perfdataFromProto(proto.perfdata),
  lastCheckAtMs: reader.take(timestampFromProto("lastCheck", proto.lastCheck), undefined),
  nextCheckAtMs: reader.take(timestampFromProto("nextCheck", proto.nextCheck), undefined),
  overdueAtMs: reader.take(timestampFromProto("overdueAt", proto.overdueAt), undefined),
  latencyMs: reader.take(durationFromProto("latency", proto.latency), undefined),
  executionMs: reader.take(durationFromProto("executionTime", proto.executionTime), undefined),
  checkSource: proto.checkSource,
});

const maintenanceFromProto = (reader: FieldReader, proto: ObjectRow) => ({
  acknowledgement: reader.take(acknowledgementFromProto("acknowledgement", proto.acknowledgement), undefined),
  downtimes: readEach(reader, proto.downtimes, (item, at) => downtimeFromProto(`downtimes[${at}]`, item)),
  inDowntime: proto.inDowntime ?? false,
  comments: readEach(reader, proto.comments, (item, at) => commentFromProto(`comments[${at}]`, item)),
  toggles: {
    notifications: proto.notificationsEnabled ?? true,
    activeChecks: proto.activeChecksEnabled ?? true,
    passiveChecks: proto.passiveChecksEnabled ?? true,
    eventHandler: proto.eventHandlerEnabled ?? true,
    flapDetection: proto.flapDetectionEnabled ?? true,
  },
  notification: reader.take(notificationProgressFromProto("notification", proto.notification), undefined),
  suppressedBy: proto.suppressedBy,
  handled: proto.handled ?? false,
  truncated: proto.truncated,
});

const readEach = <In, Out>(
  reader: FieldReader,
  items: readonly In[],
  read: (item: In, at: number) => Result<Out, Refusal>,
) => items.flatMap((item, at) => reader.take<readonly Out[]>(asList(read(item, at)), []));

const asList = <T>(result: Result<T, Refusal>): Result<readonly T[], Refusal> =>
  result.ok ? { ok: true, value: [result.value] } : result;
