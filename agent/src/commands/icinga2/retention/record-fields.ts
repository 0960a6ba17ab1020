import { isStruct } from "@realmwatch/shared/text/json-values";
import type { IcingaRecord } from "./state-file.ts";

type Fields = IcingaRecord["fields"];

const isNumber = (value: unknown): boolean => typeof value === "number" && Number.isFinite(value);
const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((each) => typeof each === "string");

const kinds = {
  number: { holds: isNumber, phrase: "a number" },
  text: { holds: (value: unknown) => typeof value === "string", phrase: "a string" },
  flag: { holds: (value: unknown) => typeof value === "boolean", phrase: "true or false" },
  texts: { holds: isTextList, phrase: "a list of strings" },
  struct: { holds: isStruct, phrase: "an object" },
} as const;
type Kind = keyof typeof kinds;

const checkable: Readonly<Record<string, Kind>> = {
  ...{ state_raw: "number", state_type: "number", check_attempt: "number", last_state_raw: "number" },
  ...{ last_hard_state_raw: "number", last_state_change: "number", last_hard_state_change: "number" },
  ...{ acknowledgement: "number", acknowledgement_expiry: "number", acknowledgement_last_change: "number" },
  ...{ last_state_up: "number", last_state_ok: "number", suppressed_notifications: "number" },
  ...{ last_reachable: "flag", flapping: "flag", last_check_result: "struct" },
};
const kindsByType: Readonly<Record<string, Readonly<Record<string, Kind>>>> = {
  Host: checkable,
  Service: checkable,
  Notification: { notification_number: "number", last_problem_notification: "number", notified_problem_users: "texts" },
  Downtime: { trigger_time: "number" },
  Comment: {},
};
const resultKinds: Readonly<Record<string, Kind>> = {
  ...{ output: "text", execution_start: "number", execution_end: "number", vars_before: "struct" },
};

/** True for the types whose records are read. */
export const isReadType = (type: string): boolean => Object.hasOwn(kindsByType, type);

/** Reason why a record cannot be used, with the field; undefined when it can. A field that is null or missing is not set. */
export function faultOf({ type, fields }: IcingaRecord): string | undefined {
  const result = fields["last_check_result"];
  return (
    faultIn(fields, kindsByType[type] ?? {}, "") ??
    faultIn(isStruct(result) ? result : {}, resultKinds, "last_check_result.")
  );
}

function faultIn(fields: Fields, expected: Readonly<Record<string, Kind>>, prefix: string): string | undefined {
  for (const [name, kind] of Object.entries(expected)) {
    const value = fields[name] ?? undefined;
    if (value !== undefined && !kinds[kind].holds(value)) return `${prefix}${name} must be ${kinds[kind].phrase}`;
  }
  return undefined;
}

/** Number of a field; 0 when it is not set. */
export const fieldNumber = (fields: Fields, name: string): number => Number(fields[name] ?? 0);

/** Text of a field; empty when it is not set. */
export const fieldText = (fields: Fields, name: string): string => String(fields[name] ?? "");

/** Texts of a field. */
export const fieldTexts = (fields: Fields, name: string): readonly string[] =>
  (fields[name] ?? []) as readonly string[];

/** Object of a field; undefined when it is not set. */
export function fieldStruct(fields: Fields, name: string): Fields | undefined {
  const value = fields[name];
  return isStruct(value) ? value : undefined;
}

/** Unix ms of a field that has seconds; undefined for never. */
export const fieldTimeMs = (fields: Fields, name: string): number | undefined => timeMsOf(fieldNumber(fields, name));

/** End of the year 9999, Unix ms: later times have no form in RFC 3339. */
const latestMs = 253_402_300_799_000;

/** Unix ms of a time in seconds; undefined for never, which is 0. */
export const timeMsOf = (seconds: number): number | undefined =>
  seconds > 0 ? Math.min(Math.floor(seconds * 1_000), latestMs) : undefined;
