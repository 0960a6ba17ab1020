import type { Timestamp } from "@bufbuild/protobuf/wkt";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { idOf, keyOfRef, type ObjectKey } from "../objects/object-key.ts";
import { isProblem, isSoft, type StatusWord, wordOf } from "../status/status-word.ts";

/** One row as lists sort, filter and show it; `row` has the rest. Instants are Unix ms. */
export type StatusItem = {
  readonly id: string;
  readonly key: ObjectKey;
  /** Empty on an agent. */
  readonly realm: string;
  readonly word: StatusWord;
  readonly problem: boolean;
  readonly handled: boolean;
  readonly soft: boolean;
  readonly sinceMs: number | undefined;
  readonly lastCheckAtMs: number | undefined;
  /** Names, realm and output in lower case, for the search box. */
  readonly haystack: string;
  readonly row: StatusRow;
};

export const optionalMs = (at: Timestamp | undefined): number | undefined =>
  at === undefined ? undefined : timestampMs(at);

/** undefined where the row names no object. */
export function toItem(row: StatusRow): StatusItem | undefined {
  const key = keyOfRef(row.object);
  if (key === undefined) return undefined;
  const word = wordOf(row.status);
  const host = key.kind === "service" ? key.host : "";
  return {
    id: idOf(row.realm, key),
    key,
    realm: row.realm,
    word,
    problem: isProblem(word),
    handled: row.handled ?? false,
    soft: isSoft(row.stateType),
    sinceMs: optionalMs(row.lastChange),
    lastCheckAtMs: optionalMs(row.lastCheck),
    haystack: `${host} ${key.name} ${row.realm} ${row.output}`.toLowerCase(),
    row,
  };
}
