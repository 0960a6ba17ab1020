import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
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
  overdueAtMs: "optional",
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
/** Undefined values of the optional fields, so that all decoded rows have the same shape. */
const absentRowFields: Partial<Row> = Object.fromEntries(
  rowFields.flatMap(([field, presence]) => (presence === "optional" ? [[field, undefined]] : [])),
);

/** Encodes a row as JSON; empty for a removed object. */
export const encodeChange = (change: RowChange): string => (change.kind === "put" ? JSON.stringify(change.row) : "");

/**
 * Object as stored: `version` is `<epoch> <revision> <number of its message, 0 for none>`, followed by ` x` when the
 * object is removed; `json` its row, empty for none.
 */
export type StoredObject = { readonly ref: string; readonly version: string; readonly json: string };

const storedVersion = /^(\d{1,16}) (\d{1,16}) (\d{1,16})( x)?$/;

/**
 * Decodes a stored object into the change that a reader applies. Undefined when it cannot be read: row or version are
 * malformed, belong to each other no more, or one of them is missing.
 */
export function decodeObject(realm: string, { ref, version, json }: StoredObject): RowChange | undefined {
  const [, first, second, third, removed] = storedVersion.exec(version) ?? [];
  const [epoch, revision, published] = [Number(first), Number(second), Number(third)];
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(revision)) return undefined;
  if ((removed !== undefined) !== (json === "")) return undefined;
  const numbered = published > 0 ? { published } : {};
  if (json === "") return { kind: "drop", realm, key: keyOf(ref), epoch, revision, ...numbered };
  const row = parseJson<Row>(json);
  if (!isStoredRow(row) || row.realm !== realm || row.epoch !== epoch || row.revision !== revision) return undefined;
  return refOfStored(row) === ref ? { kind: "put", row: { ...absentRowFields, ...row }, ...numbered } : undefined;
}

const isObject = (value: unknown): boolean => typeof value === "object" && value !== null && !Array.isArray(value);
const isListOf =
  (isElement: (value: unknown) => boolean) =>
  (value: unknown): boolean =>
    Array.isArray(value) && value.every(isElement);
const isText = (value: unknown): boolean => typeof value === "string";
const isNumber = (value: unknown): boolean => typeof value === "number";
const isFlag = (value: unknown): boolean => typeof value === "boolean";

/** Conditions on the stored value of each field: a row with a value of another type could not be sent to any reader. */
const storedTypes: { readonly [K in keyof Row]-?: (value: unknown) => boolean } = {
  about: isObject,
  realm: isText,
  epoch: isNumber,
  revision: isNumber,
  status: isText,
  stateType: isText,
  attempt: isNumber,
  maxAttempts: isNumber,
  lastHardStatus: isText,
  output: isText,
  longOutput: isText,
  perfdata: isListOf(isObject),
  lastCheckAtMs: isNumber,
  nextCheckAtMs: isNumber,
  overdueAtMs: isNumber,
  lastChangeAtMs: isNumber,
  lastHardChangeAtMs: isNumber,
  latencyMs: isNumber,
  executionMs: isNumber,
  checkSource: isText,
  flapping: isFlag,
  flapValue: isNumber,
  acknowledgement: isObject,
  downtimes: isListOf(isObject),
  inDowntime: isFlag,
  comments: isListOf(isObject),
  toggles: isObject,
  notification: isObject,
  suppressedBy: isListOf(isText),
  handled: isFlag,
};

const storedFields = rowFields.map(([field, presence]) => ({
  field,
  isOptional: presence === "optional",
  isOfType: storedTypes[field as keyof Row],
}));

/** True when an object has every required field, and each of its known fields the type of that field. */
function isStoredRow(value: unknown): value is Row {
  if (typeof value !== "object" || value === null) return false;
  const row = value as Readonly<Record<string, unknown>>;
  return storedFields.every(({ field, isOptional, isOfType }) =>
    row[field] === undefined ? isOptional : isOfType(row[field]),
  );
}

/** Reference of a row's object; undefined when its key is malformed. */
function refOfStored({ about }: Row): string | undefined {
  try {
    return refOf(about.key);
  } catch {
    return undefined;
  }
}

export const encodeCatalog = (catalog: Catalog): string => JSON.stringify(catalog);
/** Decodes a catalog; undefined when it cannot be read. */
export function decodeCatalog(json: string): Catalog | undefined {
  const catalog = parseJson<Partial<Catalog> | null>(json);
  const isWhole = typeof catalog === "object" && Array.isArray(catalog?.contacts) && Array.isArray(catalog.views);
  return isWhole && typeof catalog?.toggles === "object" ? (catalog as Catalog) : undefined;
}

const seqDigits = 16;

/** Encodes a record as a member of the history set: the same record gives the same member, so writes are idempotent. */
export const encodeRecord = (record: HistoryRecord): string =>
  `${String(record.seq).padStart(seqDigits, "0")}:${JSON.stringify(record)}`;
/** Decodes a record; undefined when it cannot be read. */
export function decodeRecord(member: string): HistoryRecord | undefined {
  const record = parseJson<HistoryRecord | null>(member.slice(seqDigits + 1));
  const isRecord = typeof record === "object" && typeof record?.atMs === "number" && typeof record.type === "string";
  return isRecord ? record : undefined;
}

/** Pre-filter of encoded records: false when the record cannot belong to `key`, which spares most decoding. */
export const mayBeRecordOf = (member: string, key: ObjectKey): boolean => member.includes(JSON.stringify(key.name));

function parseJson<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
