import { crc32 } from "node:zlib";
import type { HistoryRecord } from "@realmwatch/shared/model/history";
import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import {
  type HistoryRun,
  mergeHistoryRuns,
  type StoredHistory,
} from "@realmwatch/shared/read-model/history/stored-history";
import { blankRow, type Row, type RowChange } from "@realmwatch/shared/row/row";
import { catalogKinds, catalogPartToken } from "@realmwatch/shared/wire/catalog-parts";
import type { VersionedCatalogPart } from "../realms/held/held-catalog.ts";

/**
 * CRC-32 of a stored value and of the text that it belongs to, as hexadecimal digits. It shows that a value was altered
 * by accident; it does not protect against an attacker, who can compute it as well.
 */
const checksumOf = (owner: string, value: string): string => crc32(value, crc32(`${owner}\n`)).toString(16);

/**
 * Object as stored: `version` is `<epoch> <revision> <number of its message, 0 for none> <checksum>`, followed by ` x`
 * when the object is removed; `json` its row, empty for none. [FD91] The checksum covers all of it.
 */
export type StoredObject = { readonly ref: string; readonly version: string; readonly json: string };

/** Encodes a change as it is stored: the row as JSON. */
export function encodeObject(change: RowChange): StoredObject {
  const isRow = change.kind === "put";
  const { epoch, revision } = isRow ? change.row : change;
  const ref = refOf(isRow ? change.row.about.key : change.key);
  const json = isRow ? JSON.stringify(change.row) : "";
  const version = `${epoch} ${revision} ${change.published ?? 0}`;
  return { ref, version: `${version} ${checksumOf(`${ref} ${version}`, json)}${json === "" ? " x" : ""}`, json };
}

const storedVersion = /^((\d{1,16}) (\d{1,16}) (\d{1,16})) ([\da-f]{1,8})( x)?$/;

/**
 * Decodes a stored object into the change that a reader applies. Undefined when it cannot be read: row or version are
 * malformed or altered, belong to each other no more, or one of them is missing.
 */
export function decodeObject(realm: string, { ref, version, json }: StoredObject): RowChange | undefined {
  const [, summed, first, second, third, checksum, removed] = storedVersion.exec(version) ?? [];
  if (checksum !== checksumOf(`${ref} ${summed}`, json)) return undefined;
  const [epoch, revision, published] = [Number(first), Number(second), Number(third)];
  if (!Number.isSafeInteger(epoch) || !Number.isSafeInteger(revision)) return undefined;
  if ((removed !== undefined) !== (json === "")) return undefined;
  const numbered = published > 0 ? { published } : {};
  if (json === "") return { kind: "drop", realm, key: keyOf(ref), epoch, revision, ...numbered };
  const row = parseJson<Row>(json);
  const isOfVersion = row?.realm === realm && row.epoch === epoch && row.revision === revision;
  return isOfVersion ? { kind: "put", row: { ...blankRow, ...row }, ...numbered } : undefined;
}

/** Part of a catalog as stored: `field` is its kind and number, `value` `<epoch> <revision> <checksum> <JSON>`. */
type StoredCatalogPart = { readonly field: string; readonly value: string };

export function encodeCatalogPart(part: VersionedCatalogPart): StoredCatalogPart {
  const field = catalogPartToken(part);
  const json = JSON.stringify({ parts: part.parts, catalog: part.catalog });
  const version = `${part.epoch} ${part.revision}`;
  return { field, value: `${version} ${checksumOf(`${field} ${version}`, json)} ${json}` };
}

const storedPart = /^((\d{1,16}) (\d{1,16})) ([\da-f]{1,8}) (.*)$/s;

/** Decodes a part of a catalog; undefined when it cannot be read, or was altered. */
export function decodeCatalogPart({ field, value }: StoredCatalogPart): VersionedCatalogPart | undefined {
  const [, version, epoch, revision, checksum, json = ""] = storedPart.exec(value) ?? [];
  const [name, number] = field.split(".");
  const kind = catalogKinds.find((known) => known === name);
  if (kind === undefined || checksum !== checksumOf(`${field} ${version}`, json)) return undefined;
  const content = parseJson<Pick<VersionedCatalogPart, "parts" | "catalog">>(json);
  return content && { kind, number: Number(number), epoch: Number(epoch), revision: Number(revision), ...content };
}

const seqDigits = 16;
const checksumDigits = 8;
const recordAt = seqDigits + checksumDigits + 2;

/** Encodes a record as a member of the history set: the same record gives the same member, so writes are idempotent. */
export function encodeRecord(record: HistoryRecord): string {
  const seq = String(record.seq).padStart(seqDigits, "0");
  const json = JSON.stringify(record);
  return `${seq}:${checksumOf(seq, json).padStart(checksumDigits, "0")}:${json}`;
}

/** True when a member of the history set is as it was written. */
export const isRecordIntact = (member: string): boolean =>
  member.slice(seqDigits + 1, recordAt - 1) ===
  checksumOf(member.slice(0, seqDigits), member.slice(recordAt)).padStart(checksumDigits, "0");

/** Decodes a record; undefined when it cannot be read. */
export function decodeRecord(member: string): HistoryRecord | undefined {
  const record = parseJson<HistoryRecord | null>(member.slice(recordAt));
  const isRecord = typeof record === "object" && typeof record?.atMs === "number" && typeof record.type === "string";
  return isRecord ? record : undefined;
}

/** Encodes runs of records as the field `historyRuns`. */
export const encodeRuns = (runs: readonly HistoryRun[]): string =>
  runs.map(({ from, fromAtMs, to, toAtMs }) => `${from} ${fromAtMs} ${to} ${toAtMs}`).join(",");
/** Decodes the fields `historyRuns` and `historyTrimmed`; what cannot be read counts as missing. */
export function decodeStoredHistory(realm: string, runs: string, trimmed: string): StoredHistory {
  const numbers = runs.split(",").map((run) => /^(\d+) (-?\d+) (\d+) (-?\d+)$/.exec(run)?.slice(1).map(Number) ?? []);
  const decoded = numbers.flatMap(([from, fromAtMs, to, toAtMs]) =>
    from === undefined || fromAtMs === undefined || to === undefined || toAtMs === undefined
      ? []
      : [{ from, fromAtMs, to, toAtMs }],
  );
  const [, atMs, seq] = /^(-?\d+) (\d+)$/.exec(trimmed) ?? [];
  return {
    runs: mergeHistoryRuns([], decoded),
    trimmed: atMs === undefined ? undefined : { realm, atMs: Number(atMs), seq: Number(seq) },
  };
}

/**
 * Pre-filter of encoded records: false when the record can neither belong to `key` nor stand for one that is missing,
 * which spares most decoding.
 */
export const mayBeRecordOf = (member: string, key: ObjectKey): boolean =>
  member.includes(JSON.stringify(key.name)) || member.includes('"type":"gap"');

function parseJson<T>(json: string): T | undefined {
  try {
    return JSON.parse(json) as T;
  } catch {
    return undefined;
  }
}
