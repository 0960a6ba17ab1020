import { type DescEnum, type DescField, type DescMessage, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { DurationSchema, TimestampSchema } from "@bufbuild/protobuf/wkt";
import { isStruct } from "../../text/json-values.ts";

/** Throws a TypeError that begins with the field's path when a JSON value does not have the field's type. */
type FieldValidator = (json: unknown, path: string) => void;

/**
 * Returns a validator for the JSON form of a message, or undefined when no field needs validation. It covers two gaps
 * of Connect's parser. Connect ignores unknown fields, which newer clients rely on, but ignores an unknown enum name
 * too, so that a filter with a typo would select everything. And for an invalid timestamp, duration or message it names
 * only the type, not the field.
 */
export function jsonFieldValidator(desc: DescMessage): ((json: unknown) => void) | undefined {
  if (desc.fields.every((field) => validatorForField(field, new Map()) === undefined)) return undefined;
  const check = messageValidator(desc, new Map());
  return (json) => isStruct(json) && check(json, "");
}

/** @param known validators by message type, which terminates the recursion for recursive messages */
function messageValidator(desc: DescMessage, known: Map<DescMessage, FieldValidator>): FieldValidator {
  const made = known.get(desc);
  if (made !== undefined) return made;
  const checks = new Map<string, FieldValidator>();
  const check: FieldValidator = (json, path) => {
    if (json === null) return;
    if (!isStruct(json)) throw new TypeError(`${path}: is ${describeValue(json)}, not an object`);
    for (const [key, value] of Object.entries(json)) checks.get(key)?.(value, path === "" ? key : `${path}.${key}`);
  };
  known.set(desc, check);
  for (const field of desc.fields) {
    const one = validatorForField(field, known);
    if (one !== undefined) checks.set(field.jsonName, one).set(field.name, one);
  }
  return check;
}

function validatorForField(field: DescField, known: Map<DescMessage, FieldValidator>): FieldValidator | undefined {
  const one = field.enum
    ? enumValidator(field.enum)
    : field.message
      ? validatorForMessageType(field.message, known)
      : undefined;
  if (one === undefined || field.fieldKind === "enum" || field.fieldKind === "message") return one;
  return (json, path) => {
    if (typeof json !== "object" || json === null) return;
    for (const [key, value] of Object.entries(json)) one(value, `${path}.${key}`);
  };
}

function validatorForMessageType(desc: DescMessage, known: Map<DescMessage, FieldValidator>): FieldValidator {
  if (desc.typeName === TimestampSchema.typeName)
    return textValidator(TimestampSchema, "not an RFC 3339 timestamp such as 2026-01-31T08:00:00Z", isOfCalendar);
  if (desc.typeName === DurationSchema.typeName)
    return textValidator(DurationSchema, "not a duration in seconds such as 90s");
  return messageValidator(desc, known);
}

const dayAndHour = /^(\d{4})-(\d\d)-(\d\d)T(\d\d)/;
const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** False for a day that its month does not have, or hour 24: the library takes them as a time of the next days. */
function isOfCalendar(timestamp: string): boolean {
  const [year = 0, month = 0, day = 0, hour = 0] = dayAndHour.exec(timestamp)?.slice(1).map(Number) ?? [];
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return hour < 24 && day <= (month === 2 && !isLeapYear ? 28 : (monthLengths[month - 1] ?? 0));
}

/** Validator for a message whose JSON form is a string. `accepts` is called with what the library can parse. */
const textValidator =
  (desc: DescMessage, what: string, accepts: (text: string) => boolean = () => true): FieldValidator =>
  (json, path) => {
    if (json === null) return;
    if (!isParsed(desc, json) || !accepts(String(json)))
      throw new TypeError(`${path}: ${describeValue(json)} is ${what}`);
  };

function isParsed(desc: DescMessage, json: unknown): boolean {
  try {
    fromJson(desc, json as JsonValue);
    return true;
  } catch {
    return false;
  }
}

function enumValidator(desc: DescEnum): FieldValidator {
  const names = new Set(desc.values.map((value) => value.name));
  return (json, path) => {
    if (typeof json !== "string" || names.has(json)) return;
    throw new TypeError(`${path}: ${describeValue(json)} is not one of ${[...names].join(", ")}`);
  };
}

/** The type of a list or object, or the value itself, cut to 100 characters. */
function describeValue(json: unknown): string {
  if (Array.isArray(json)) return "a list";
  return isStruct(json) ? "an object" : JSON.stringify(typeof json === "string" ? json.slice(0, 100) : json);
}
