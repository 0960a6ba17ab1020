import { never } from "../../model/never.ts";
import { type ObjectKey, objectKinds } from "../../model/object-key.ts";
import { fail, ok, type Result } from "../../model/result.ts";
import type { Labels } from "../../model/row.ts";
import { type Status, statuses } from "../../model/status.ts";
import {
  failExpected,
  type SelectorCursor,
  type SelectorError,
  scanKey,
  scanValue,
  skipSelectorBlanks,
  takeToken,
  takeWord,
} from "./selector-scanner.ts";

/** Keys for properties of an object other than labels. A selector prefixes them with `@`. */
export const reservedKeys = [
  "kind",
  "host",
  "name",
  "zone",
  "realm",
  "status",
  "cause",
  "type",
  "parent",
  "dependency",
] as const;

/** One condition. `in` and `notin` have at least one value; `=` and `!=` are parsed to these with one value. */
export type Requirement =
  | { readonly kind: "exists" | "absent"; readonly key: string }
  | { readonly kind: "in" | "notin"; readonly key: string; readonly values: ReadonlySet<string> };

/** Parsed selector of 1 to `selectorLimits.requirements` requirements, all of which must hold. */
export type Selector = { readonly requirements: readonly Requirement[] };

/** Properties of an object that selectors can match. An empty `zone`, `realm`, `cause` or `checkType` counts as absent. */
export type SelectorSubject = {
  readonly key: ObjectKey;
  readonly labels: Labels;
  readonly zone: string;
  readonly realm: string;
  /** Type of the check; empty for a process. */
  readonly checkType: string;
  readonly status: Status;
  /** Reference of the topmost cause; empty for a problem without a cause. */
  readonly cause: string;
  /** Names of a host's parents; empty for a service and a process. */
  readonly parents: readonly string[];
  /** References of the objects that the dependencies of this one read. */
  readonly dependsOn: readonly string[];
};

/** Maximum size of a selector: bytes of UTF-8 and number of requirements. */
const selectorLimits = { bytes: 4096, requirements: 64 } as const;

/**
 * Parses requirements separated by `,`: `key=v`, `key==v`, `key!=v`, `key in (a,b)`, `key notin (a,b)`, `key` and
 * `!key`. A blank selector is an error: callers that allow "all objects" must check first. Stricter than Kubernetes where
 * a typing error would select too many objects: values must not be missing, and unknown reserved keys and unknown values
 * of `@kind` and `@status` are errors.
 */
export function parseSelector(text: string): Result<Selector, SelectorError> {
  const tooLongAt = findExcess(text);
  if (tooLongAt !== undefined)
    return fail({ message: `a selector has at most ${selectorLimits.bytes} bytes`, offset: tooLongAt });
  const cursor: SelectorCursor = { text, at: 0 };
  skipSelectorBlanks(cursor);
  if (cursor.at === text.length) return fail({ message: "the selector is blank", offset: 0 });
  return parseRequirements(cursor);
}

/** Formats an error of `parseSelector` with its position. */
export const formatSelectorError = (error: SelectorError): string => `${error.message}, at character ${error.offset}`;

/**
 * Returns true when all requirements hold. `!=` and `notin` also hold for an object without the key. Takes one lookup per
 * requirement, independent of its number of values.
 */
export function matchesSelector(selector: Selector, subject: SelectorSubject): boolean {
  for (const requirement of selector.requirements) {
    const several = severalValuesOf(requirement.key, subject);
    const isMet =
      several === undefined
        ? holds(requirement, valueFor(requirement.key, subject))
        : holdsForEach(requirement, several);
    if (!isMet) return false;
  }
  return true;
}

/** First key of the selector that cannot be evaluated while a document is loaded; undefined if all can. */
export const currentKeyOf = (selector: Selector): string | undefined =>
  selector.requirements.find(({ key }) => isCurrentKey(key))?.key;

/** True for a key whose value is a part of an object's current state, or of dependencies, which selectors make. */
export const isCurrentKey = (key: string): boolean => ["@status", "@cause", "@dependency"].includes(key);

/** True when the selector has a requirement on `key`. */
export const usesKey = (selector: Selector, key: string): boolean =>
  selector.requirements.some((requirement) => requirement.key === key);

/** Values to which the selector restricts `key`, for use of an index; undefined when any value may match. */
export function selectedValues(selector: Selector, key: string): ReadonlySet<string> | undefined {
  const narrowing = selector.requirements.find((requirement) => requirement.key === key && requirement.kind === "in");
  return narrowing?.kind === "in" ? narrowing.values : undefined;
}

/** Formats a selector. Parsing the text yields an equal selector. */
export const formatSelector = (selector: Selector): string => selector.requirements.map(formatRequirement).join(",");

function holds(requirement: Requirement, value: string | undefined): boolean {
  switch (requirement.kind) {
    case "exists":
      return value !== undefined;
    case "absent":
      return value === undefined;
    case "in":
      return value !== undefined && requirement.values.has(value);
    case "notin":
      return value === undefined || !requirement.values.has(value);
    default:
      return never(requirement);
  }
}

/** Values of a key that an object can have several of; undefined for any other key. */
function severalValuesOf(key: string, { parents, dependsOn }: SelectorSubject): readonly string[] | undefined {
  if (key === "@parent") return parents;
  return key === "@dependency" ? dependsOn : undefined;
}

/** A requirement on a key with several values: one of them has to match, and none may match a negated requirement. */
const holdsForEach = (requirement: Requirement, values: readonly string[]): boolean =>
  requirement.kind === "absent" || requirement.kind === "notin"
    ? values.every((value) => holds(requirement, value))
    : values.some((value) => holds(requirement, value));

function valueFor(key: string, { key: object, labels, zone, realm, checkType, status, cause }: SelectorSubject) {
  switch (key) {
    case "@kind":
      return object.kind;
    case "@name":
      return object.name;
    case "@host":
      return object.kind === "service" ? object.host : undefined;
    case "@zone":
      return zone || undefined;
    case "@realm":
      return realm || undefined;
    case "@type":
      return checkType || undefined;
    case "@status":
      return status;
    case "@cause":
      return cause || undefined;
    default:
      // Only own properties count, because `constructor` is a valid label.
      return Object.hasOwn(labels, key) ? labels[key] : undefined;
  }
}

function formatRequirement(requirement: Requirement): string {
  switch (requirement.kind) {
    case "exists":
      return requirement.key;
    case "absent":
      return `!${requirement.key}`;
    case "in":
    case "notin":
      return formatValues(requirement.key, requirement.kind, [...requirement.values].map(quoteValue));
    default:
      return never(requirement);
  }
}

const formatValues = (key: string, kind: "in" | "notin", values: readonly string[]): string =>
  values.length === 1 ? `${key}${kind === "in" ? "=" : "!="}${values[0]}` : `${key} ${kind} (${values.join(",")})`;

/** Formats a value: bare if its characters permit, otherwise in double quotes. */
const quoteValue = (value: string): string =>
  /^[A-Za-z0-9_.:/-]+$/.test(value) ? value : `"${value.replace(/["\\]/g, "\\$&")}"`;

function parseRequirements(cursor: SelectorCursor): Result<Selector, SelectorError> {
  const requirements: Requirement[] = [];
  do {
    skipSelectorBlanks(cursor);
    if (requirements.length === selectorLimits.requirements)
      return fail({ message: `a selector has at most ${selectorLimits.requirements} requirements`, offset: cursor.at });
    const requirement = parseRequirement(cursor);
    if (!requirement.ok) return requirement;
    requirements.push(requirement.value);
  } while (takeToken(cursor, ","));
  return cursor.at === cursor.text.length ? ok({ requirements }) : failExpected(cursor, '"," or the end');
}

function parseRequirement(cursor: SelectorCursor): Result<Requirement, SelectorError> {
  const absent = takeToken(cursor, "!");
  skipSelectorBlanks(cursor);
  const keyAt = cursor.at;
  const key = scanKey(cursor);
  if (!key.ok) return key;
  if (key.value.startsWith("@") && !reserved.has(key.value))
    return fail({ message: `there is no ${key.value}; use one of ${[...reserved].join(", ")}`, offset: keyAt });
  if (absent) return ok({ kind: "absent", key: key.value });
  if (takeToken(cursor, "!=")) return parseValue(cursor, "notin", key.value);
  if (takeToken(cursor, "==") || takeToken(cursor, "=")) return parseValue(cursor, "in", key.value);
  if (takeWord(cursor, "in")) return parseList(cursor, "in", key.value);
  if (takeWord(cursor, "notin")) return parseList(cursor, "notin", key.value);
  return ok({ kind: "exists", key: key.value });
}

function parseValue(cursor: SelectorCursor, kind: "in" | "notin", key: string): Result<Requirement, SelectorError> {
  const value = scanKnownValue(cursor, key);
  return value.ok ? ok({ kind, key, values: new Set([value.value]) }) : value;
}

function parseList(cursor: SelectorCursor, kind: "in" | "notin", key: string): Result<Requirement, SelectorError> {
  if (!takeToken(cursor, "(")) return failExpected(cursor, `"(" after ${kind}`);
  const values = new Set<string>();
  do {
    const value = scanKnownValue(cursor, key);
    if (!value.ok) return value;
    values.add(value.value);
  } while (takeToken(cursor, ","));
  return takeToken(cursor, ")") ? ok({ kind, key, values }) : failExpected(cursor, '"," or ")"');
}

function scanKnownValue(cursor: SelectorCursor, key: string): Result<string, SelectorError> {
  skipSelectorBlanks(cursor);
  const offset = cursor.at;
  const value = scanValue(cursor);
  const known = knownWords[key];
  if (!value.ok || known === undefined || known.includes(value.value)) return value;
  const message = `${key} is never ${JSON.stringify(value.value)}; use one of ${known.join(", ")}`;
  return fail({ message, offset });
}

const reserved: ReadonlySet<string> = new Set(reservedKeys.map((key) => `@${key}`));

/** Known values of reserved keys. `@type` is omitted: a realm of a newer release may have further check types. */
const knownWords: Readonly<Record<string, readonly string[]>> = Object.assign(Object.create(null), {
  "@kind": objectKinds,
  "@status": statuses,
});

/** Offset at which the text exceeds its size limit; undefined when it does not. */
function findExcess(text: string): number | undefined {
  if (text.length * 3 <= selectorLimits.bytes) return undefined;
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    // Each half of a surrogate pair counts 2 of the pair's 4 bytes.
    bytes += code < 0x80 ? 1 : code < 0x800 || (code >= 0xd800 && code < 0xe000) ? 2 : 3;
    if (bytes > selectorLimits.bytes) return at;
  }
  return undefined;
}
