import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { Downtime as ProtoDowntime } from "@realmwatch/proto/svc/v1/query_pb";
import type { Activation, Downtime, DowntimeShape } from "../../model/downtime.ts";
import type { Refusal } from "../../model/refusal.ts";
import { fail, type Result } from "../../model/result.ts";
import { type FieldReader, fieldReader } from "../fields/field-reader.ts";
import { durationFromProto, durationToProto, timestampFromProto, timestampToProto } from "../fields/time.ts";

export const downtimeToProto = (downtime: Downtime): ProtoDowntime => ({
  $typeName: "svc.v1.Downtime",
  id: downtime.id,
  kind: shapeToProto(downtime.shape),
  start: timestampToProto(downtime.startMs),
  end: timestampToProto(downtime.endMs),
  author: downtime.author,
  onBehalfOf: downtime.onBehalfOf,
  comment: downtime.comment,
  inEffect: downtime.inEffect,
});

export function downtimeFromProto(field: string, proto: ProtoDowntime): Result<Downtime, Refusal> {
  const reader = fieldReader();
  const shape = shapeFromProto(reader, field, proto.kind);
  if (shape === undefined) return fail({ kind: "malformed", field: `${field}.kind`, why: "is unset" });
  return reader.finish({
    id: proto.id,
    shape,
    startMs: reader.take(timestampFromProto(`${field}.start`, proto.start), undefined) ?? 0,
    endMs: reader.take(timestampFromProto(`${field}.end`, proto.end), undefined) ?? 0,
    author: proto.author,
    onBehalfOf: proto.onBehalfOf,
    comment: proto.comment,
    inEffect: proto.inEffect ?? false,
  });
}

function shapeToProto(shape: DowntimeShape): ProtoDowntime["kind"] {
  switch (shape.kind) {
    case "fixed":
      return { case: "fixed", value: { $typeName: "svc.v1.FixedDowntime" } };
    case "flexible": {
      const duration = durationToProto(shape.durationMs);
      return {
        case: "flexible",
        value: { $typeName: "svc.v1.FlexibleDowntime", duration, ...activationToProto(shape.active) },
      };
    }
    case "triggered": {
      const { triggeredBy, active } = shape;
      return {
        case: "triggered",
        value: { $typeName: "svc.v1.TriggeredDowntime", triggeredBy, ...activationToProto(active) },
      };
    }
    case "recurring":
      return { case: "recurring", value: { $typeName: "svc.v1.RecurringDowntime", name: shape.name } };
  }
}

function shapeFromProto(reader: FieldReader, field: string, proto: ProtoDowntime["kind"]): DowntimeShape | undefined {
  switch (proto.case) {
    case "fixed":
      return { kind: "fixed" };
    case "flexible": {
      const durationMs =
        reader.take(durationFromProto(`${field}.flexible.duration`, proto.value.duration), undefined) ?? 0;
      return { kind: "flexible", durationMs, active: activationFromProto(reader, `${field}.flexible`, proto.value) };
    }
    case "triggered": {
      const active = activationFromProto(reader, `${field}.triggered`, proto.value);
      return { kind: "triggered", triggeredBy: proto.value.triggeredBy, active };
    }
    case "recurring":
      return { kind: "recurring", name: proto.value.name };
    case undefined:
      return undefined;
  }
}

type ProtoActivation = { activeFrom?: Timestamp | undefined; activeUntil?: Timestamp | undefined };

const activationToProto = (active: Activation | undefined): ProtoActivation => ({
  activeFrom: timestampToProto(active?.fromMs),
  activeUntil: timestampToProto(active?.untilMs),
});

function activationFromProto(reader: FieldReader, field: string, period: ProtoActivation): Activation | undefined {
  const fromMs = reader.take(timestampFromProto(`${field}.activeFrom`, period.activeFrom), undefined);
  const untilMs = reader.take(timestampFromProto(`${field}.activeUntil`, period.activeUntil), undefined);
  return fromMs === undefined || untilMs === undefined ? undefined : { fromMs, untilMs };
}
