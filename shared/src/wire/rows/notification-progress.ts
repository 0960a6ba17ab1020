import type { Because as WireBecause } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationProgress as WireProgress } from "@realmwatch/proto/svc/v1/query_pb";
import { type Because, type NotificationReason, notificationReasons } from "../../model/notification.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import type { NotificationProgress } from "../../model/row.ts";
import { fieldReader } from "../fields/field-reader.ts";
import { instantOf, timestampOf } from "../fields/time.ts";

const reasons: ReadonlySet<string> = new Set(notificationReasons);
const isReason = (reason: string): reason is NotificationReason => reasons.has(reason);

export const wireBecauseOf = (because: Because): WireBecause => ({
  $typeName: "svc.v1.Because",
  reason: because.reason,
  name: because.name,
  until: timestampOf(because.untilMs),
});

/** A reason of a newer release is left out: it explains, and nothing depends on it. */
export function becauseOf(field: string, wire: WireBecause | undefined): Result<Because | undefined, Refusal> {
  const reader = fieldReader();
  const untilMs = reader.take(instantOf(`${field}.until`, wire?.until), undefined);
  if (wire === undefined || !isReason(wire.reason)) return reader.finish(undefined);
  return reader.finish({ reason: wire.reason, name: wire.name, untilMs });
}

export const wireProgressOf = (progress: NotificationProgress): WireProgress => ({
  $typeName: "svc.v1.NotificationProgress",
  level: progress.level,
  sentAtLevel: progress.sentAtLevel,
  last: timestampOf(progress.lastAtMs),
  next: timestampOf(progress.nextAtMs),
  because: progress.because && wireBecauseOf(progress.because),
});

export function progressOf(
  field: string,
  wire: WireProgress | undefined,
): Result<NotificationProgress | undefined, Refusal> {
  const reader = fieldReader();
  if (wire === undefined) return reader.finish(undefined);
  return reader.finish({
    level: wire.level,
    sentAtLevel: wire.sentAtLevel,
    lastAtMs: reader.take(instantOf(`${field}.last`, wire.last), undefined),
    nextAtMs: reader.take(instantOf(`${field}.next`, wire.next), undefined),
    because: reader.take(becauseOf(`${field}.because`, wire.because), undefined),
  });
}
