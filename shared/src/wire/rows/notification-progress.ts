import type { Because as WireBecause } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationProgress as WireProgress } from "@realmwatch/proto/svc/v1/query_pb";
import { type NotificationDecision, type NotificationReason, notificationReasons } from "../../model/notification.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { NotificationProgress } from "../../model/row.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { timestampFromProto, timestampToProto } from "../fields/time.ts";

const reasons: ReadonlySet<string> = new Set(notificationReasons);
const isReason = (reason: string): reason is NotificationReason => reasons.has(reason);

export const notificationDecisionToProto = (because: NotificationDecision): WireBecause => ({
  $typeName: "svc.v1.Because",
  reason: because.reason,
  name: because.name,
  until: timestampToProto(because.untilMs),
});

/** A reason of a newer release is left out: it explains, and nothing depends on it. */
export function notificationDecisionFromProto(field: string, wire: WireBecause | undefined): Result<NotificationDecision | undefined, Refusal> {
  const reader = fieldReader();
  const untilMs = reader.take(timestampFromProto(`${field}.until`, wire?.until), undefined);
  if (wire === undefined || !isReason(wire.reason)) return reader.finish(undefined);
  return reader.finish({ reason: wire.reason, name: wire.name, untilMs });
}

export const notificationProgressToProto = (progress: NotificationProgress): WireProgress => ({
  $typeName: "svc.v1.NotificationProgress",
  level: progress.level,
  sentAtLevel: progress.sentAtLevel,
  last: timestampToProto(progress.lastAtMs),
  next: timestampToProto(progress.nextAtMs),
  because: progress.because && notificationDecisionToProto(progress.because),
});

export function notificationProgressFromProto(
  field: string,
  wire: WireProgress | undefined,
): Result<NotificationProgress | undefined, Refusal> {
  const reader = fieldReader();
  if (wire === undefined) return reader.finish(undefined);
  return reader.finish({
    level: wire.level,
    sentAtLevel: wire.sentAtLevel,
    lastAtMs: reader.take(timestampFromProto(`${field}.last`, wire.last), undefined),
    nextAtMs: reader.take(timestampFromProto(`${field}.next`, wire.next), undefined),
    because: reader.take(notificationDecisionFromProto(`${field}.because`, wire.because), undefined),
  });
}
