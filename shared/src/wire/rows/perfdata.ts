import type { PerfPoint as ProtoPerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import type { PerfPoint } from "../../model/perfdata.ts";

export const perfdataToProto = (points: readonly PerfPoint[]): ProtoPerfPoint[] => points.map(perfPointToProto);

export const perfdataFromProto = (points: readonly ProtoPerfPoint[]): PerfPoint[] => points.map(perfPointFromProto);

/** NaN and infinities are left unset, because JSON clients could not read them. */
const perfPointToProto = (point: PerfPoint): ProtoPerfPoint => ({
  $typeName: "svc.v1.PerfPoint",
  label: point.label,
  value: finite(point.value),
  uom: point.uom,
  warn: point.warn,
  crit: point.crit,
  min: finite(point.min),
  max: finite(point.max),
});

const perfPointFromProto = (proto: ProtoPerfPoint): PerfPoint => ({
  label: proto.label,
  value: finite(proto.value),
  uom: proto.uom,
  warn: proto.warn,
  crit: proto.crit,
  min: finite(proto.min),
  max: finite(proto.max),
});

const finite = (value: number | undefined): number | undefined => (Number.isFinite(value) ? value : undefined);
