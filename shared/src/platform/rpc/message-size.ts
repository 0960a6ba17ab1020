import { type DescField, type DescMessage, ScalarType } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { Code, ConnectError } from "@connectrpc/connect";
import { countJsonValues } from "../../text/json-values.ts";
import type { RpcLimit } from "./rpc-limit.ts";

/** Maximum number of values in a request: each of them takes about 100 bytes when it is decoded, and two in the request. */
const maxValues = 250_000;

/** Length from which on values are counted: a shorter message cannot have too many. */
const countedLength = 20_000;

type CountedMessage = {
  readonly message: Uint8Array;
  readonly isJson: boolean;
  /** Type of the message. */
  readonly type: DescMessage;
  readonly entries: RpcLimit["entries"];
};

/**
 * [PT29] Refuses a message with too many values or entries, by counting them before it is decoded. A malformed message is
 * left to the decoder.
 *
 * @throws ConnectError `invalid_argument`
 */
export function refuseTooManyValues({ message, isJson, type, entries }: CountedMessage): void {
  if (message.length < countedLength) return;
  const maxEntries = entries?.max ?? Number.POSITIVE_INFINITY;
  const count: ValueCount = { values: 0, entries: 0, maxEntries };
  if (isJson) Object.assign(count, countJsonValues(message, 2));
  try {
    if (!isJson) countFields(new BinaryReader(message), { type, end: message.length, entries: entries?.field }, count);
  } catch {
    // The rest of the message is malformed.
  }
  if (entries !== undefined && count.entries > maxEntries)
    throw new ConnectError(`${entries.field}: has more than ${maxEntries} entries`, Code.InvalidArgument);
  if (count.values > maxValues)
    throw new ConnectError(`the request has more than ${maxValues} values`, Code.InvalidArgument);
}

/** Values that were counted, and entries of the field that has a limit of its own. Counting ends when one is too many. */
type ValueCount = { values: number; entries: number; readonly maxEntries: number };

const isTooMany = (count: ValueCount): boolean => count.values > maxValues || count.entries > count.maxEntries;

type CountedFields = {
  readonly type: DescMessage;
  readonly end: number;
  /** Name of the field whose entries have a limit. */
  readonly entries?: string | undefined;
};

/** Counts the fields of a message, with those of the messages in it. Throws when it is malformed. */
function countFields(reader: BinaryReader, { type, end, entries }: CountedFields, count: ValueCount): void {
  const fields = new Map(type.fields.map((field) => [field.number, field]));
  while (reader.pos < end && !isTooMany(count)) {
    const [number, wireType] = reader.tag();
    const field = fields.get(number);
    count.values += 1;
    if (field !== undefined && field.name === entries) count.entries += 1;
    if (wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, number);
      continue;
    }
    const valueEnd = reader.uint32() + reader.pos;
    if (field?.message !== undefined) countFields(reader, { type: field.message, end: valueEnd }, count);
    else if (field !== undefined && isPacked(field)) count.values += valueEnd - reader.pos;
    reader.pos = valueEnd;
  }
}

/** True for a list of numbers, whose values may have a byte each. */
const isPacked = (field: DescField): boolean =>
  field.fieldKind === "list" &&
  (field.listKind === "enum" ||
    (field.listKind === "scalar" && field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES));
