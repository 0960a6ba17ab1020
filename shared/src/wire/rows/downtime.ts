import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { DowntimeSchema, type Downtime as ProtoDowntime } from "@realmwatch/proto/svc/v1/query_pb";
import type { Activation, Downtime, DowntimeShape } from "../../model/downtime.ts";
import { never } from "../../model/never.ts";
import {
  absentField,
  durationField,
  type FieldCodec,
  flagField,
  instantField,
  optionalInstantField,
  textField,
} from "../fields/field-codec.ts";
import type { FieldReader } from "../fields/field-reader.ts";
import { messageCodec } from "../fields/message-codec.ts";

const shapeCodec: FieldCodec<DowntimeShape, ProtoDowntime["kind"]> = {
  blank: { kind: "fixed" },
  toProto(shape) {
    switch (shape.kind) {
      case "fixed":
        return { case: "fixed", value: { $typeName: "svc.v1.FixedDowntime" } };
      case "flexible": {
        const value = { duration: durationField.toProto(shape.durationMs), ...activationToProto(shape.active) };
        return { case: "flexible", value: { $typeName: "svc.v1.FlexibleDowntime", ...value } };
      }
      case "triggered": {
        const value = { triggeredBy: shape.triggeredBy, ...activationToProto(shape.active) };
        return { case: "triggered", value: { $typeName: "svc.v1.TriggeredDowntime", ...value } };
      }
      case "recurring":
        return { case: "recurring", value: { $typeName: "svc.v1.RecurringDowntime", name: shape.name } };
      default:
        return never(shape);
    }
  },
  fromProto(proto, reader, field) {
    switch (proto.case) {
      case "fixed":
        return { kind: "fixed" };
      case "flexible": {
        const durationMs = durationField.fromProto(proto.value.duration, reader, `${field}.duration`);
        return { kind: "flexible", durationMs, active: activationFromProto(proto.value, reader, field) };
      }
      case "triggered": {
        const { triggeredBy } = proto.value;
        return { kind: "triggered", triggeredBy, active: activationFromProto(proto.value, reader, field) };
      }
      case "recurring":
        return { kind: "recurring", name: proto.value.name };
      case undefined:
        return reader.need<DowntimeShape>(field, undefined, { kind: "fixed" });
      default:
        return never(proto);
    }
  },
};

type ProtoActivation = { activeFrom?: Timestamp | undefined; activeUntil?: Timestamp | undefined };

const activationToProto = (active: Activation | undefined): ProtoActivation => ({
  activeFrom: optionalInstantField.toProto(active?.fromMs),
  activeUntil: optionalInstantField.toProto(active?.untilMs),
});

function activationFromProto(period: ProtoActivation, reader: FieldReader, field: string): Activation | undefined {
  const fromMs = optionalInstantField.fromProto(period.activeFrom, reader, `${field}.activeFrom`);
  const untilMs = optionalInstantField.fromProto(period.activeUntil, reader, `${field}.activeUntil`);
  return fromMs === undefined || untilMs === undefined ? undefined : { fromMs, untilMs };
}

export const downtimeCodec = messageCodec<Downtime, typeof DowntimeSchema>(DowntimeSchema, {
  id: ["id", textField],
  shape: ["kind", shapeCodec],
  startMs: ["start", instantField],
  endMs: ["end", instantField],
  author: ["author", textField],
  onBehalfOf: ["onBehalfOf", textField],
  comment: ["comment", textField],
  inEffect: ["inEffect", flagField(false)],
  changeId: ["changeId", absentField(textField)],
});
