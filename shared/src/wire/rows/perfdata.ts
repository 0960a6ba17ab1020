import type { PerfPoint as WirePerfPoint } from "@realmwatch/proto/svc/v1/common_pb";
import type { PerfPoint } from "../../model/perfdata.ts";

export const perfdataToProto = (points: readonly PerfPoint[]): WirePerfPoint[] => points.map(perfPointToProto);

export const perfdataFromProto = (points: readonly WirePerfPoint[]): PerfPoint[] => points.map(perfPointFromProto);

/** Numbers that are none (NaN, infinities) are left unset: JSON clients could not read them. */
const perfPointToProto = (point: PerfPoint): WirePerfPoint => ({
  $typeName: "svc.v1.PerfPoint",
  label: point.label,
  value: finite(point.value),
  uom: point.uom,
  warn: point.warn,
  crit: point.crit,
  min: finite(point.min),
  max: finite(point.max),
});

const perfPointFromProto = (wire: WirePerfPoint): PerfPoint => ({
  label: wire.label,
  value: finite(wire.value),
  uom: wire.uom,
  warn: wire.warn,
  crit: wire.crit,
  min: finite(wire.min),
  max: finite(wire.max),
});

const finite = (value: number | undefined): number | undefined => (Number.isFinite(value) ? value : undefined);
