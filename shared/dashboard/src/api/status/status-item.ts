import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { keyOfWireRef, type ObjectKey, objectIdOf } from "./object-key.ts";
import { isProblemStatus, isSoftState, type StatusName, statusNameOf } from "./status-name.ts";

/** One row as lists sort, filter and show it; `row` has the rest. Instants are Unix ms. */
export type StatusItem = {
  readonly id: string;
  readonly key: ObjectKey;
  /** Empty on an agent. */
  readonly realm: string;
  readonly statusName: StatusName;
  readonly problem: boolean;
  readonly handled: boolean;
  readonly soft: boolean;
  readonly sinceMs: number | undefined;
  readonly lastCheckAtMs: number | undefined;
  /** Names, realm and output in lower case, for the search box. */
  readonly searchText: string;
  readonly row: StatusRow;
};

export const optionalMs = (at: Timestamp | undefined): number | undefined =>
  at === undefined ? undefined : timestampMs(at);

/** undefined where the row names no object. */
export function statusItemOf(row: StatusRow): StatusItem | undefined {
  const key = keyOfWireRef(row.object);
  if (key === undefined) return undefined;
  const statusName = statusNameOf(row.status);
  const host = key.kind === "service" ? key.host : "";
  return {
    id: objectIdOf(row.realm, key),
    key,
    realm: row.realm,
    statusName,
    problem: isProblemStatus(statusName),
    handled: row.handled ?? false,
    soft: isSoftState(row.stateType),
    sinceMs: optionalMs(row.lastChange),
    lastCheckAtMs: optionalMs(row.lastCheck),
    searchText: `${host} ${key.name} ${row.realm} ${row.output}`.toLowerCase(),
    row,
  };
}
