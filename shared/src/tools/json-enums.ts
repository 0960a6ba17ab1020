import type { DescEnum, DescField, DescMessage } from "@bufbuild/protobuf";

/** Throws a TypeError naming the field where a JSON value gives an enum a name that it does not have. */
type Check = (json: unknown, path: string) => void;

/**
 * Checks the enum names in the JSON form of a message. Connect passes unknown fields over, which lets newer callers
 * speak to us, but takes an unknown name of an enum for such a field too: a filter with a slip in it would select
 * everything. Undefined where no enum can occur.
 */
export function enumCheck(desc: DescMessage): ((json: unknown) => void) | undefined {
  const check = checkOf(desc, new Map());
  return check && ((json) => check(json, ""));
}

/** `known` holds what was made already, so that a message that holds itself ends. */
function checkOf(desc: DescMessage, known: Map<DescMessage, Check | undefined>): Check | undefined {
  if (known.has(desc)) return known.get(desc);
  const checks = new Map<string, Check>();
  const checkMessage: Check = (json, path) => {
    if (typeof json !== "object" || json === null || Array.isArray(json)) return;
    for (const [key, value] of Object.entries(json)) checks.get(key)?.(value, path === "" ? key : `${path}.${key}`);
  };
  known.set(desc, checkMessage);
  for (const field of desc.fields) {
    const check = checkOfField(field, known);
    if (check !== undefined) checks.set(field.jsonName, check).set(field.name, check);
  }
  if (checks.size === 0) known.set(desc, undefined);
  return known.get(desc);
}

function checkOfField(field: DescField, known: Map<DescMessage, Check | undefined>): Check | undefined {
  const one = field.enum ? checkName(field.enum) : field.message ? checkOf(field.message, known) : undefined;
  if (one === undefined || field.fieldKind === "enum" || field.fieldKind === "message") return one;
  return (json, path) => {
    if (typeof json !== "object" || json === null) return;
    for (const [key, value] of Object.entries(json)) one(value, `${path}.${key}`);
  };
}

function checkName(desc: DescEnum): Check {
  const names = new Set(desc.values.map((value) => value.name));
  return (json, path) => {
    if (typeof json !== "string" || names.has(json)) return;
    throw new TypeError(`${path}: ${JSON.stringify(json.slice(0, 100))} is none of ${[...names].join(", ")}`);
  };
}
