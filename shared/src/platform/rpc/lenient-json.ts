import { type DescField, type DescMessage, fromJson, type JsonValue, ScalarType } from "@bufbuild/protobuf";
import { isStruct } from "../../text/json-values.ts";

const minInt32 = -2_147_483_648;
const maxInt32 = 2_147_483_647;

/**
 * Returns a JSON text that is a valid form of the message, from one that need not be: a number beyond the range of an
 * int32 field becomes the bound of that range, any other field that is not valid is left out, and a text that is no JSON
 * object is read as an empty message. Never throws.
 *
 * @param decode decodes the text, and may throw
 * @param check throws for a message with an invalid field; undefined when only the library checks the message
 */
export function lenientJson(
  desc: DescMessage,
  decode: () => string,
  check: ((json: unknown) => void) | undefined,
): string {
  const fields = new Map(
    desc.fields.flatMap((field) => [[field.jsonName, field] as const, [field.name, field] as const]),
  );
  const accepted: [string, JsonValue][] = [];
  for (const [key, value] of Object.entries(parsedObject(decode))) {
    const json = clamped(fields.get(key), value);
    if (isValid(desc, { [key]: json }, check)) accepted.push([key, json]);
  }
  const json = Object.fromEntries(accepted);
  return isValid(desc, json, check) ? JSON.stringify(json) : "{}";
}

function parsedObject(decode: () => string): { [key: string]: JsonValue } {
  try {
    const json: unknown = JSON.parse(decode());
    return isStruct(json) ? (json as { [key: string]: JsonValue }) : {};
  } catch {
    return {};
  }
}

/** Value of an int32 field within its range; any other value as it is. */
function clamped(field: DescField | undefined, value: JsonValue): JsonValue {
  const isInt32 = field?.fieldKind === "scalar" && field.scalar === ScalarType.INT32;
  return isInt32 && typeof value === "number" ? Math.max(minInt32, Math.min(maxInt32, Math.trunc(value))) : value;
}

function isValid(desc: DescMessage, json: JsonValue, check: ((json: unknown) => void) | undefined): boolean {
  try {
    check?.(json);
    fromJson(desc, json, { ignoreUnknownFields: true });
    return true;
  } catch {
    return false;
  }
}
