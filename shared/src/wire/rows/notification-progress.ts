import type { Because as ProtoBecause } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationProgress as ProtoProgress } from "@realmwatch/proto/svc/v1/query_pb";
import { type NotificationDecision, type NotificationReason, notificationReasons } from "../../model/notification.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { NotificationProgress } from "../../model/row.ts";
import { fieldReader } from "../fields/field-reader.ts";
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
  if (proto === undefined || !isReason(proto.reason)) return reader.finish(undefined);
  return reader.finish({ reason: proto.reason, name: proto.name, untilMs });
}

export const notificationProgressToProto = (progress: NotificationProgress): ProtoProgress => ({
  $typeName: "svc.v1.NotificationProgress",
  level: progress.level,
  sentAtLevel: progress.sentAtLevel,
  last: timestampToProto(progress.lastAtMs),
  next: timestampToProto(progress.nextAtMs),
  because: progress.because && notificationDecisionToProto(progress.because),
});

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
  });
}
