import { type Timestamp, timestampMs } from "@bufbuild/protobuf/wkt";
import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { type ObjectKey, refOf } from "../../model/object-key.ts";
import { objectKeyFromProto } from "../../wire/fields/object-ref.ts";

/** Object of a realm; the realm is empty on an agent. */
export type ShiftObject = { readonly realm: string; readonly key: ObjectKey };

type Named = { readonly realm: string; readonly object?: ObjectRef | undefined };

/** Object of a row or record; undefined when it has none. */
export function objectNameOf(named: Named | undefined): ShiftObject | undefined {
  const key = objectKeyFromProto("object", named?.object);
  return named !== undefined && key.ok && key.value !== undefined ? { realm: named.realm, key: key.value } : undefined;
}

/** Reference of the object of a row or record that is unique among all realms. */
export function shiftRefOf(named: Named): string {
  const name = objectNameOf(named);
  return JSON.stringify([named.realm, name === undefined ? "" : refOf(name.key)]);
}

/** Time of a record, Unix ms; 0 when it is unset. */
export const atOf = ({ at }: { readonly at?: Timestamp | undefined }): number =>
  at === undefined ? 0 : timestampMs(at);
