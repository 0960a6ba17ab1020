import type { Because as ProtoBecause } from "@realmwatch/proto/svc/v1/common_pb";
import type {
  NotificationDelivery as ProtoDelivery,
  NotificationProgress as ProtoProgress,
} from "@realmwatch/proto/svc/v1/query_pb";
import {
  type DeliveryProgress,
  type NotificationDecision,
  type NotificationReason,
  notificationReasons,
} from "../../model/notification.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { NotificationProgress } from "../../model/row.ts";
import { deliveryStateCodec, notificationKindCodec } from "../fields/enums.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { timestampFromProto, timestampToProto } from "../fields/time.ts";

const reasons: ReadonlySet<string> = new Set(notificationReasons);
const isReason = (reason: string): reason is NotificationReason => reasons.has(reason);

export const notificationDecisionToProto = (because: NotificationDecision): ProtoBecause => ({
  $typeName: "svc.v1.Because",
  reason: because.reason,
  name: because.name,
  until: timestampToProto(because.untilMs),
});

/** An unknown reason of a newer release becomes undefined, since it is informational only. */
export function notificationDecisionFromProto(
  field: string,
  proto: ProtoBecause | undefined,
): Result<NotificationDecision | undefined, Refusal> {
  const reader = fieldReader();
  const untilMs = reader.take(timestampFromProto(`${field}.until`, proto?.until), undefined);
  const reason = proto?.reason ?? "";
  if (proto === undefined || !isReason(reason)) return reader.finish(undefined);
  return reader.finish({ reason, name: proto.name, untilMs });
}

export const notificationProgressToProto = (progress: NotificationProgress): ProtoProgress => ({
  $typeName: "svc.v1.NotificationProgress",
  level: progress.level,
  sentAtLevel: progress.sentAtLevel,
  last: timestampToProto(progress.lastAtMs),
  next: timestampToProto(progress.nextAtMs),
  because: progress.because && notificationDecisionToProto(progress.because),
  deliveries: progress.deliveries.map(deliveryToProto),
});

const deliveryToProto = ({ contact, kind, state, sinceMs, attempts, error }: DeliveryProgress): ProtoDelivery => ({
  $typeName: "svc.v1.NotificationDelivery",
  contact,
  kind: notificationKindCodec.toProto(kind),
  state: deliveryStateCodec.toProto(state),
  since: timestampToProto(sinceMs),
  attempts,
  error,
});

/** Leaves out a delivery whose kind or state is one of a newer release. */
function deliveriesFromProto(
  reader: FieldReader,
  field: string,
  protos: readonly ProtoDelivery[],
): readonly DeliveryProgress[] {
  return protos.flatMap(({ contact, attempts, error, since, ...proto }, at) => {
    const kind = notificationKindCodec.fromProto(proto.kind);
    const state = deliveryStateCodec.fromProto(proto.state);
    const sinceMs = reader.take(timestampFromProto(`${field}[${at}].since`, since), undefined) ?? 0;
    return kind === undefined || state === undefined ? [] : [{ contact, kind, state, sinceMs, attempts, error }];
  });
}

export function notificationProgressFromProto(
  field: string,
  proto: ProtoProgress | undefined,
): Result<NotificationProgress | undefined, Refusal> {
  const reader = fieldReader();
  if (proto === undefined) return reader.finish(undefined);
  return reader.finish({
    level: proto.level,
    sentAtLevel: proto.sentAtLevel,
    lastAtMs: reader.take(timestampFromProto(`${field}.last`, proto.last), undefined),
    nextAtMs: reader.take(timestampFromProto(`${field}.next`, proto.next), undefined),
    because: reader.take(notificationDecisionFromProto(`${field}.because`, proto.because), undefined),
    deliveries: deliveriesFromProto(reader, `${field}.deliveries`, proto.deliveries),
  });
}
