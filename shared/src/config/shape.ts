import { nearestName, slipOf } from "../text/nearest.ts";
import type { Problem } from "./problem.ts";
import { sentence } from "./subject.ts";

/** Where a reader stands, as a chain from the inside out: cheap to extend for every value, spelled out on a problem. */
export type Trail = { readonly above: Trail; readonly step: string | number } | undefined;

export function pathOf(trail: Trail): (string | number)[] {
  const path: (string | number)[] = [];
  for (let at = trail; at !== undefined; at = at.above) path.push(at.step);
  return path.reverse();
}

/** One reading of a document: what it found wrong so far, and the variants that are switched off for it. */
export type Reading = {
  readonly problems: Problem[];
  /** By kind of variant (`check`): the types that this reading treats as unknown. */
  readonly refusedTypes: Readonly<Record<string, readonly string[]>>;
};

/**
 * Reads one value. On a problem it says so to the reading and answers its fallback, so that whatever else is wrong
 * with the document is found in the same go. Fallbacks are chosen so that no rule complains about them again.
 */
export type Reader<T> = (value: unknown, trail: Trail, reading: Reading) => T;

/** Notes a problem; `predicate` goes on where the field's name ends (`must be …`). */
export function complain(reading: Reading, trail: Trail, predicate: string, more: Partial<Problem> = {}): void {
  const path = pathOf(trail);
  reading.problems.push({ path, message: sentence(path, predicate), at: "value", ...more });
}

/**
 * A reader that checks and converts what another one read. Where something is wrong `convert` answers what `complainAbout`
 * answers: undefined.
 */
export function refine<A, B>(
  base: Reader<A>,
  convert: (value: A, complainAbout: (predicate: string) => undefined) => B | undefined,
  fallback: B,
): Reader<B> {
  return (value, trail, reading) => {
    const before = reading.problems.length;
    const read = base(value, trail, reading);
    if (reading.problems.length > before) return fallback;
    const converted = convert(read, (predicate) => {
      complain(reading, trail, predicate);
      return undefined;
    });
    return converted === undefined ? fallback : converted;
  };
}

/** A field of a struct. Without `otherwise` it must be there. */
export type Field<T> = { readonly reader: Reader<T>; readonly otherwise?: { readonly value: T } };
export const required = <T>(reader: Reader<T>): Field<T> => ({ reader });
export const optional = <T, D extends T>(reader: Reader<T>, value: D): Field<T> => ({ reader, otherwise: { value } });

type Fields = Readonly<Record<string, Field<unknown>>>;
export type Read<F> = F extends Reader<infer T> ? T : F extends Field<infer T> ? T : never;
export type StructOf<F extends Fields> = { readonly [K in keyof F]: Read<F[K]> };

const isStruct = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What a value is, in a sentence. */
export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "a struct";
  return typeof value === "boolean" ? "a boolean" : `a ${typeof value}`;
}

/** A closed struct: each field by its reader, anything else is a problem. No struct at all reads as an empty one. */
export function struct<F extends Fields>(fields: F): Reader<StructOf<F>> {
  const names = Object.keys(fields);
  return (value, trail, reading) => {
    const isOne = isStruct(value);
    const given = isOne ? value : {};
    if (!isOne) complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
    const read: Record<string, unknown> = {};
    for (const name of names)
      read[name] = readField(fields[name] as Field<unknown>, { given, name, isOne }, trail, reading);
    for (const name of Object.keys(given)) {
      if (!Object.hasOwn(fields, name)) complain(reading, { above: trail, step: name }, unknownField(name, names));
    }
    return read as StructOf<F>;
  };
}

type Given = { readonly given: Readonly<Record<string, unknown>>; readonly name: string; readonly isOne: boolean };

function readField(field: Field<unknown>, { given, name, isOne }: Given, trail: Trail, reading: Reading): unknown {
  if (Object.hasOwn(given, name)) return field.reader(given[name], { above: trail, step: name }, reading);
  if (field.otherwise !== undefined) return field.otherwise.value;
  if (isOne) {
    const path = pathOf(trail);
    reading.problems.push({ path, message: sentence([...path, name], "is missing"), at: "struct" });
  }
  // The fallback of what is missing: what the reader makes of nothing, without its complaint.
  return field.reader(undefined, trail, { ...reading, problems: [] });
}

/** That a field is unknown, as a predicate, with the known one that was probably meant. */
export function unknownField(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names, slipOf(name));
  return `is not a known field${nearest === undefined ? "" : `; the nearest one is ${JSON.stringify(nearest)}`}`;
}

/** A struct whose fields depend on its `type`. An unknown type hides everything else: undefined. */
export function variant<V extends Readonly<Record<string, Fields>>>(
  kind: string,
  variants: V,
): Reader<{ [T in keyof V]: StructOf<V[T]> & { readonly type: T } }[keyof V] | undefined> {
  const readers = new Map(
    Object.entries(variants).map(([type, fields]) => [type, struct({ type: required(word([type])), ...fields })]),
  );
  return (value, trail, reading) => {
    if (!isStruct(value)) {
      complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
      return undefined;
    }
    const accepted = [...readers.keys()].filter((type) => !reading.refusedTypes[kind]?.includes(type)).sort();
    const reader = accepted.includes(value.type as string) ? readers.get(value.type as string) : undefined;
    if (reader === undefined) {
      complainOfType(value, { kind, accepted }, trail, reading);
      return undefined;
    }
    return reader(value, trail, reading) as never;
  };
}

function complainOfType(
  value: Readonly<Record<string, unknown>>,
  { kind, accepted }: { readonly kind: string; readonly accepted: readonly string[] },
  trail: Trail,
  reading: Reading,
): void {
  const path = pathOf(trail);
  const known = `accepted: ${accepted.join(", ")}`;
  if (!Object.hasOwn(value, "type")) {
    const message = sentence([...path, "type"], `is missing; ${known}`);
    reading.problems.push({ path, message, at: "struct" });
    return;
  }
  const { type } = value;
  const what =
    typeof type === "string" ? `unknown ${kind} type ${quote(type)}` : `must be a string, not ${kindOf(type)}`;
  const at: Trail = { above: trail, step: "type" };
  if (typeof type === "string") complain(reading, at, `names an ${what}; ${known}`);
  else complain(reading, at, `${what}; ${known}`);
}

/** A text in a message: quoted, and cut where it is long. */
export const quote = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}…` : text);

/** Any string. */
export const text: Reader<string> = (value, trail, reading) => {
  if (typeof value === "string") return value;
  complain(reading, trail, `must be a string, not ${kindOf(value)}`);
  return "";
};

/** A string with at least one character. */
export const filled: Reader<string> = refine(
  text,
  (value, complainAbout) => (value === "" ? complainAbout("must not be empty") : value),
  "",
);

/** One of a few words. */
export function word<const W extends string>(words: readonly W[]): Reader<W> {
  return refine(
    text,
    (value, complainAbout) => {
      if ((words as readonly string[]).includes(value)) return value as W;
      return complainAbout(`must be ${words.map((each) => JSON.stringify(each)).join(" or ")}, not ${quote(value)}`);
    },
    words[0] as W,
  );
}

export const flag: Reader<boolean> = (value, trail, reading) => {
  if (typeof value === "boolean") return value;
  complain(reading, trail, `must be true or false, not ${kindOf(value)}`);
  return false;
};

/** A list; what is none reads as an empty one. */
export function list<T>(element: Reader<T>, { filled: mustBeFilled = false } = {}): Reader<readonly T[]> {
  return (value, trail, reading) => {
    if (!Array.isArray(value)) {
      complain(reading, trail, `must be a list, not ${kindOf(value)}`);
      return [];
    }
    if (mustBeFilled && value.length === 0) complain(reading, trail, "must not be empty");
    return value.map((each, step) => element(each, { above: trail, step }, reading));
  };
}

/** What is wrong with a key of a map, as a predicate of its entry; undefined where nothing is. */
export type KeyRule = (key: string) => string | undefined;

/** A map from names to entries. An entry with a wrong name is still read. */
export function map<T>(entry: Reader<T>, keyRule: KeyRule = () => undefined): Reader<ReadonlyMap<string, T>> {
  return (value, trail, reading) => {
    const read = new Map<string, T>();
    if (!isStruct(value)) {
      complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
      return read;
    }
    for (const [key, each] of Object.entries(value)) {
      const at: Trail = { above: trail, step: key };
      const wrong = keyRule(key);
      if (wrong !== undefined) complain(reading, at, wrong);
      read.set(key, entry(each, at, reading));
    }
    return read;
  };
}

/** A key that matches a pattern. */
export const keyLike =
  (pattern: RegExp): KeyRule =>
  (key) =>
    pattern.test(key) ? undefined : `has a name that does not match ${pattern.source}`;
