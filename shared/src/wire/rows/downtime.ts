import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Downtime as WireDowntime } from "@realmwatch/proto/svc/v1/query_pb";
import type { Activation, Downtime, DowntimeShape } from "../../model/downtime.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, type Result } from "../../model/result.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { durationOf, instantOf, spanOf, timestampOf } from "../fields/time.ts";

export const wireDowntimeOf = (downtime: Downtime): WireDowntime => ({
  $typeName: "svc.v1.Downtime",
  id: downtime.id,
  kind: wireShapeOf(downtime.shape),
  start: timestampOf(downtime.startMs),
  end: timestampOf(downtime.endMs),
  author: downtime.author,
  onBehalfOf: downtime.onBehalfOf,
  comment: downtime.comment,
  inEffect: downtime.inEffect,
});

export function downtimeOf(field: string, wire: WireDowntime): Result<Downtime, Refusal> {
  const reader = fieldReader();
  const shape = shapeOf(reader, field, wire.kind);
  if (shape === undefined) return fail({ kind: "malformed", field: `${field}.kind`, why: "is unset" });
  return reader.finish({
    id: wire.id,
    shape,
    startMs: reader.take(instantOf(`${field}.start`, wire.start), undefined) ?? 0,
    endMs: reader.take(instantOf(`${field}.end`, wire.end), undefined) ?? 0,
    author: wire.author,
    onBehalfOf: wire.onBehalfOf,
    comment: wire.comment,
    inEffect: wire.inEffect ?? false,
  });
}

function wireShapeOf(shape: DowntimeShape): WireDowntime["kind"] {
  switch (shape.kind) {
    case "fixed":
      return { case: "fixed", value: { $typeName: "svc.v1.FixedDowntime" } };
    case "flexible": {
      const duration = durationOf(shape.durationMs);
      return { case: "flexible", value: { $typeName: "svc.v1.FlexibleDowntime", duration, ...periodOf(shape.active) } };
    }
    case "triggered": {
      const { triggeredBy, active } = shape;
      return { case: "triggered", value: { $typeName: "svc.v1.TriggeredDowntime", triggeredBy, ...periodOf(active) } };
    }
    case "recurring":
      return { case: "recurring", value: { $typeName: "svc.v1.RecurringDowntime", name: shape.name } };
  }
}

function shapeOf(reader: FieldReader, field: string, wire: WireDowntime["kind"]): DowntimeShape | undefined {
  switch (wire.case) {
    case "fixed":
      return { kind: "fixed" };
    case "flexible": {
      const durationMs = reader.take(spanOf(`${field}.flexible.duration`, wire.value.duration), undefined) ?? 0;
      return { kind: "flexible", durationMs, active: activationOf(reader, `${field}.flexible`, wire.value) };
    }
    case "triggered": {
      const active = activationOf(reader, `${field}.triggered`, wire.value);
      return { kind: "triggered", triggeredBy: wire.value.triggeredBy, active };
    }
    case "recurring":
      return { kind: "recurring", name: wire.value.name };
    case undefined:
      return undefined;
  }
}

type Period = { activeFrom?: Timestamp | undefined; activeUntil?: Timestamp | undefined };

const periodOf = (active: Activation | undefined): Period => ({
  activeFrom: timestampOf(active?.fromMs),
  activeUntil: timestampOf(active?.untilMs),
});

function activationOf(reader: FieldReader, field: string, period: Period): Activation | undefined {
  const fromMs = reader.take(instantOf(`${field}.activeFrom`, period.activeFrom), undefined);
  const untilMs = reader.take(instantOf(`${field}.activeUntil`, period.activeUntil), undefined);
  return fromMs === undefined || untilMs === undefined ? undefined : { fromMs, untilMs };
}
