import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { keyOf, type ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Row, RowChange } from "@realmwatch/shared/model/row";

/** Fields that JSON leaves out where they are undefined. Present again, all rows have one shape. */
const absent = {
  lastCheckAtMs: undefined,
  nextCheckAtMs: undefined,
  lastChangeAtMs: undefined,
  lastHardChangeAtMs: undefined,
  latencyMs: undefined,
  executionMs: undefined,
  acknowledgement: undefined,
  notification: undefined,
} satisfies Partial<Row>;

/** A row as Redis holds it; empty for an object that is gone. */
export const encodeChange = (change: RowChange): string => (change.kind === "put" ? JSON.stringify(change.row) : "");

/** A stored object: `version` is `<epoch> <revision>`, `json` its row or empty. */
export type StoredObject = { readonly ref: string; readonly version: string; readonly json: string };

/** The change that brings a reader to a stored object. Undefined where the version is none: somebody else wrote it. */
export function decodeObject(realm: string, { ref, version, json }: StoredObject): RowChange | undefined {
  const [epoch = Number.NaN, revision = Number.NaN] = version.split(" ").map(Number);
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(revision)) return undefined;
  if (json === "") return { kind: "drop", realm, key: keyOf(ref), epoch, revision };
  const row = parseJson<Row>(json);
  return row && { kind: "put", row: { ...absent, ...row } };
}

export const encodeCatalog = (catalog: Catalog): string => JSON.stringify(catalog);
export const decodeCatalog = (json: string): Catalog | undefined => parseJson<Catalog>(json);

const seqDigits = 16;

/** A record as a member of the history set: the same record is the same member, however often it is written. */
export const encodeRecord = (record: HistoryRecord): string =>
  `${String(record.seq).padStart(seqDigits, "0")}:${JSON.stringify(record)}`;
export const decodeRecord = (member: string): HistoryRecord | undefined =>
  parseJson<HistoryRecord>(member.slice(seqDigits + 1));

/** Whether an encoded record may be of `key`: spares reading most records of a search for one object. */
export const mayBeRecordOf = (member: string, key: ObjectKey): boolean => member.includes(JSON.stringify(key.name));

function parseJson<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
