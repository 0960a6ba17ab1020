import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { countJsonValues, isStruct } from "@realmwatch/shared/text/json-values";

/** Variable state of one object in the state file of Icinga 2. */
export type IcingaRecord = {
  readonly type: string;
  /** Name as the object list has it: `host`, `host!service`, `host!service!notification`. */
  readonly name: string;
  /** Offset of the record in the file, bytes. */
  readonly offset: number;
  readonly fields: Readonly<Record<string, unknown>>;
};

/** Record that cannot be used, with the reason. */
type BadRecord = { readonly offset: number; readonly why: string };

type IcingaStateFile = { readonly records: readonly IcingaRecord[]; readonly bad: readonly BadRecord[] };

/** Digits of the length of a record, and the colon after them. */
const header = /^(\d{1,9}):/;
const headerBytes = 10;
const comma = 0x2c;

/** Maximum size of a record, bytes: far more than the output of a check may have. */
const maxRecordBytes = 16 * 2 ** 20;
/** Maximum number of values in a record, because they may take fifty times as much memory as their text. */
const maxValues = 200_000;

/**
 * Parses a state file: records that are netstrings, `LENGTH:TEXT,`, each with a JSON object that has `type`, `name` and
 * `update`. A record with another content is bad; lengths that contradict the file are a failure, because the next record
 * cannot be found then. The error has the file, the offset and the reason, but no content: any file may be given by mistake.
 */
export function parseStateFile(file: string, bytes: Buffer): Result<IcingaStateFile, string> {
  const records: IcingaRecord[] = [];
  const bad: BadRecord[] = [];
  for (let at = 0; at < bytes.length; ) {
    const [written, digits] = header.exec(bytes.toString("latin1", at, at + headerBytes)) ?? [];
    if (written === undefined)
      return fail(`${file}: byte ${at}: expected the length of a record, such as "123:", as the state file has it`);
    const begin = at + written.length;
    const end = begin + Number(digits);
    if (end >= bytes.length)
      return fail(
        `${file}: byte ${at}: the record has ${Number(digits)} bytes, but the file ends before: it is incomplete`,
      );
    if (bytes[end] !== comma) return fail(`${file}: byte ${end}: expected a comma after the record`);
    const read = parseRecord(bytes.subarray(begin, end));
    if (read.ok) records.push({ ...read.value, offset: at });
    else bad.push({ offset: at, why: read.error });
    at = end + 1;
  }
  return records.length === 0
    ? fail(`${file}: byte 0: has no record: it must be the state file of Icinga 2, which it writes when it stops`)
    : ok({ records, bad });
}

function parseRecord(text: Buffer): Result<Omit<IcingaRecord, "offset">, string> {
  if (text.length > maxRecordBytes) return fail(`the record is larger than ${maxRecordBytes / 2 ** 20} MiB`);
  if (text.length > maxValues && countJsonValues(text, 1).values > maxValues)
    return fail(`the record has more than ${maxValues} values`);
  let record: unknown;
  try {
    record = JSON.parse(text.toString("utf8"));
  } catch {
    return fail("the record is not valid JSON");
  }
  if (!isStruct(record)) return fail("the record must be an object");
  const { type, name, update } = record;
  if (typeof type !== "string" || typeof name !== "string") return fail("the record must have a type and a name");
  if (!isStruct(update)) return fail(`the update of the ${type} must be an object`);
  return ok({ type, name, fields: update });
}
