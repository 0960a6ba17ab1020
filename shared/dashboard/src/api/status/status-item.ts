import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { isSoftState, statusNameOf } from "@realmwatch/shared/view/row-status";
import { keyOfWireRef, objectIdOf } from "./object-key.ts";

/** One row as lists sort, filter and display it; `row` has the remaining fields. Times are Unix ms. */
export type StatusItem = {
  readonly id: string;
  readonly key: ObjectKey;
  /** Name of the realm; empty on an agent. */
  readonly realm: string;
  readonly statusName: Status;
  readonly problem: boolean;
  readonly handled: boolean;
  readonly soft: boolean;
  readonly sinceMs: number | undefined;
  readonly lastCheckAtMs: number | undefined;
  readonly row: StatusRow;
};

/** Unix ms of a timestamp; undefined when it is unset. */
export const optionalMs = (at: Timestamp | undefined): number | undefined =>
  at === undefined ? undefined : timestampMs(at);

/** Converts a row; undefined when it names no object. */
export function statusItemOf(row: StatusRow): StatusItem | undefined {
  const key = keyOfWireRef(row.object);
  if (key === undefined) return undefined;
  const statusName = statusNameOf(row.status);
  return {
    id: objectIdOf(row.realm, key),
    key,
    realm: row.realm,
    statusName,
    problem: isProblem(statusName),
    handled: row.handled ?? false,
    soft: isSoftState(row.stateType),
    sinceMs: optionalMs(row.lastChange),
    lastCheckAtMs: optionalMs(row.lastCheck),
    row,
  };
}

/** Converts rows, without those that name no object. */
export const statusItemsOf = (rows: readonly StatusRow[]): readonly StatusItem[] =>
  rows.map(statusItemOf).filter((item) => item !== undefined);
