import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { keyOf, type ObjectKey } from "@realmwatch/shared/model/object-key";
import type { Row, RowChange } from "@realmwatch/shared/model/row";

/**
 * Fields of `T`: `required` when the JSON always has the field, `optional` when JSON leaves it out because its value
 * may be undefined.
 */
type JsonFields<T> = { readonly [K in keyof T]-?: undefined extends T[K] ? "optional" : "required" };

/**
 * Stored fields of a row. A new, removed or changed field of `Row` does not compile until it is listed here; then
 * `schemaVersion` has to be raised.
 */
export const storedRowFields = {
  about: "required",
  realm: "required",
  epoch: "required",
  revision: "required",
  status: "required",
  stateType: "required",
  attempt: "required",
  maxAttempts: "required",
  lastHardStatus: "required",
  output: "required",
  longOutput: "required",
  perfdata: "required",
  lastCheckAtMs: "optional",
  nextCheckAtMs: "optional",
  lastChangeAtMs: "optional",
  lastHardChangeAtMs: "optional",
  latencyMs: "optional",
  executionMs: "optional",
  checkSource: "required",
  flapping: "required",
  flapValue: "required",
  acknowledgement: "optional",
  downtimes: "required",
  inDowntime: "required",
  comments: "required",
  toggles: "required",
  notification: "optional",
  suppressedBy: "required",
  handled: "required",
} as const satisfies JsonFields<Row>;

const rowFields = Object.entries(storedRowFields);
const requiredRowFields = rowFields.flatMap(([field, presence]) => (presence === "required" ? [field] : []));
/** Undefined values of the optional fields, so that all decoded rows have the same shape. */
const absentRowFields: Partial<Row> = Object.fromEntries(
  rowFields.flatMap(([field, presence]) => (presence === "optional" ? [[field, undefined]] : [])),
);

/** Encodes a row as JSON; empty for a removed object. */
export const encodeChange = (change: RowChange): string => (change.kind === "put" ? JSON.stringify(change.row) : "");

/**
 * Object as stored: `version` is `<epoch> <revision> <number of its message, 0 for none>`, `json` its row, or empty when
 * removed.
 */
export type StoredObject = { readonly ref: string; readonly version: string; readonly json: string };

/** Decodes a stored object into the change that a reader applies; undefined when version or row cannot be read. */
export function decodeObject(realm: string, { ref, version, json }: StoredObject): RowChange | undefined {
  const [epoch = Number.NaN, revision = Number.NaN, published = 0] = version.split(" ").map(Number);
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(revision)) return undefined;
  const numbered = published > 0 ? { published } : {};
  if (json === "") return { kind: "drop", realm, key: keyOf(ref), epoch, revision, ...numbered };
  const row = parseJson<Row>(json);
  return isStoredRow(row) ? { kind: "put", row: { ...absentRowFields, ...row }, ...numbered } : undefined;
}

const isStoredRow = (value: Row | undefined): value is Row =>
  typeof value === "object" && value !== null && requiredRowFields.every((field) => Object.hasOwn(value, field));

export const encodeCatalog = (catalog: Catalog): string => JSON.stringify(catalog);
export const decodeCatalog = (json: string): Catalog | undefined => parseJson<Catalog>(json);

const seqDigits = 16;

/** Encodes a record as a member of the history set: the same record gives the same member, so writes are idempotent. */
export const encodeRecord = (record: HistoryRecord): string =>
  `${String(record.seq).padStart(seqDigits, "0")}:${JSON.stringify(record)}`;
export const decodeRecord = (member: string): HistoryRecord | undefined =>
  parseJson<HistoryRecord>(member.slice(seqDigits + 1));

/** Pre-filter of encoded records: false when the record cannot belong to `key`, which spares most decoding. */
export const mayBeRecordOf = (member: string, key: ObjectKey): boolean => member.includes(JSON.stringify(key.name));

function parseJson<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
