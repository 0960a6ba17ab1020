import type { Timestamp } from "@bufbuild/protobuf/wkt";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import type { WaitingFor } from "@realmwatch/proto/svc/v1/query_pb";
import { refOf } from "@realmwatch/shared/model/object-key";
import type { Status } from "@realmwatch/shared/model/status";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";
import { timestampFromProto } from "@realmwatch/shared/wire/fields/time";
import type { Cell, Colour, Screen } from "./table.ts";

/** Reference of the object: `web1!http`; empty when it is unset. */
export function refText(wire: ObjectRef | undefined): string {
  const key = objectKeyFromProto("object", wire);
  return key.ok && key.value !== undefined ? refOf(key.value) : "";
}

const colours: Readonly<Record<Status, Colour>> = {
  ok: "green",
  warning: "yellow",
  critical: "red",
  unknown: "magenta",
  unreachable: "magenta",
  pending: "gray",
};

/** Cell with the status in upper case and in its colour; blank for a status of a newer server. */
export function statusCell(wire: number): Cell {
  const status = statusCodec.fromProto(wire);
  return status === undefined ? { text: "" } : { text: status.toUpperCase(), colour: colours[status] };
}

/** Unix ms of a timestamp; undefined when it is unset or out of range. */
export function atMsOf(wire: Timestamp | undefined): number | undefined {
  const read = timestampFromProto("at", wire);
  return read.ok ? read.value : undefined;
}

const units = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1_000],
] as const;

/** Age of a time in the largest unit that fits twice: `45s`, `100s`, `3m`, `47h`, `12d`; empty when it is unset. */
export function formatAge(wire: Timestamp | undefined, { nowMs }: Screen): string {
  const atMs = atMsOf(wire);
  if (atMs === undefined) return "";
  const ageMs = Math.max(0, nowMs - atMs);
  const [unit, unitMs] = units.find(([, ms]) => ageMs >= 2 * ms) ?? ["s", 1_000];
  return `${Math.floor(ageMs / unitMs)}${unit}`;
}

/** Date and time in the screen's zone: `2026-03-29 03:00:15`; empty when it is unset. */
export function formatLocalTime(wire: Timestamp | undefined, { zone }: Screen): string {
  const atMs = atMsOf(wire);
  if (atMs === undefined) return "";
  const local = Temporal.Instant.fromEpochMilliseconds(atMs).toZonedDateTimeISO(zone);
  return `${local.toPlainDate()} ${local.toPlainTime().toString({ smallestUnit: "second" })}`;
}

/** Labels in the order of their keys: `env=prod,team=ops`. */
export const formatLabels = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([key, value]) => (value === "" ? key : `${key}=${value}`))
    .sort()
    .join(",");

/** `not delivered: dba-pager failing for 18m`; empty when no notification waits for a failing contact. */
export const waitingText = (waitingFor: WaitingFor | undefined, screen: Screen): string =>
  waitingFor === undefined
    ? ""
    : `not delivered: ${waitingFor.contact} failing for ${formatAge(waitingFor.failingSince, screen)}`;
