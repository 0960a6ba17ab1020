import type { About, Section } from "./schema.ts";
import {
  complain,
  isStruct,
  kindOf,
  pathOf,
  quote,
  type Reader,
  type Reading,
  readerOf,
  type Trail,
  unknownField,
} from "./parser.ts";
import { sentence } from "../problem-message.ts";
import { word } from "./strings.ts";

/** A field of a struct, declared once for the reader and for the reference. Without `otherwise` it must be there. */
export type Field<T> = {
  readonly reader: Reader<T>;
  readonly otherwise?: { readonly value: T };
  readonly about: About;
};
export const required = <T>(reader: Reader<T>, about: About): Field<T> => ({ reader, about });
export const optional = <T, D extends T>(reader: Reader<T>, value: D, about: About): Field<T> => ({
  reader,
  otherwise: { value },
  about,
});
/** A field that may be left out and then is undefined. */
export const absent = <T>(reader: Reader<T>, about: About): Field<T | undefined> =>
  optional<T | undefined, undefined>(reader, undefined, about);

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type StructOf<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** A closed struct: each field by its reader, anything else is a problem. No struct at all reads as an empty one. */
export function struct<F extends Fields>(fields: F, section: Section): Reader<StructOf<F>> {
  const known = new Map(Object.entries<Field<unknown>>(fields));
  const needed = [...known].filter(([, { otherwise }]) => otherwise === undefined);
  const defaults: Record<string, unknown> = {};
  for (const [name, { otherwise }] of known) defaults[name] = otherwise?.value;
  return readerOf({ kind: "struct", section, fields }, (value, trail, reading) => {
    const isOne = isStruct(value);
    const given = isOne ? value : {};
    if (!isOne) complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
    const read = { ...defaults };
    for (const name of Object.keys(given)) {
      const field = known.get(name);
      const at: Trail = { above: trail, step: name };
      if (field === undefined) complain(reading, at, unknownField(name, [...known.keys()]));
      else read[name] = field.reader(given[name], at, reading);
    }
    for (const [name, field] of needed) {
      if (Object.hasOwn(given, name)) continue;
      if (isOne) {
        const path = pathOf(trail);
        reading.problems.push({ path, message: sentence([...path, name], "is missing"), at: "struct" });
      }
      // The fallback of what is missing: what the reader makes of nothing, without its complaint.
      read[name] = field.reader(undefined, trail, { ...reading, problems: [] });
    }
    return read as StructOf<F>;
  });
}

/** One type of a variant: what it is, in a sentence, and its fields beside `type`. */
export type VariantType<F extends Fields> = { readonly about: string; readonly fields: F };
type VariantTypes = Readonly<Record<string, VariantType<Fields>>>;
type VariantOf<V extends VariantTypes> = {
  [T in keyof V]: StructOf<V[T]["fields"]> & { readonly type: T };
}[keyof V];

/** A struct whose fields depend on its `type`. An unknown type hides everything else: undefined. */
export function variant<V extends VariantTypes>(
  kind: string,
  types: V,
  section: Section,
): Reader<VariantOf<V> | undefined> {
  const readers = new Map(
    Object.entries(types).map(([type, { fields }]) => {
      const own = required(word([type]), { help: "", example: type });
      return [type, struct({ type: own, ...fields }, section)];
    }),
  );
  return readerOf({ kind: "variant", section, types }, (value, trail, reading) => {
    if (!isStruct(value)) {
      complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
      return undefined;
    }
    const refused = reading.refusedTypes[kind] ?? [];
    const reader = refused.includes(value.type as string) ? undefined : readers.get(value.type as string);
    if (reader === undefined) {
      const accepted = [...readers.keys()].filter((type) => !refused.includes(type)).sort();
      complainOfType(value, { kind, accepted }, trail, reading);
      return undefined;
    }
    return reader(value, trail, reading) as never;
  });
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

/** A list; what is none reads as an empty one. */
export function list<T>(element: Reader<T>, { filled: mustBeFilled = false } = {}): Reader<readonly T[]> {
  return readerOf({ kind: "list", of: element.form, filled: mustBeFilled }, (value, trail, reading) => {
    if (!Array.isArray(value)) {
      complain(reading, trail, `must be a list, not ${kindOf(value)}`);
      return [];
    }
    if (mustBeFilled && value.length === 0) complain(reading, trail, "must not be empty");
    return value.map((each, step) => element(each, { above: trail, step }, reading));
  });
}

/** What the keys of a map must be. */
export type KeyRule = {
  /** As a phrase. */
  readonly says: string;
  /** What is wrong with a key, as a predicate of its entry; undefined where nothing is. */
  readonly wrongWith: (key: string) => string | undefined;
};

const anyKey: KeyRule = { says: "", wrongWith: () => undefined };

/** A map from names to entries. An entry with a wrong name is still read. */
export function map<T>(entry: Reader<T>, keys: KeyRule = anyKey): Reader<ReadonlyMap<string, T>> {
  return readerOf({ kind: "map", of: entry.form, keys: keys.says }, (value, trail, reading) => {
    const read = new Map<string, T>();
    if (!isStruct(value)) {
      complain(reading, trail, `must be a struct, not ${kindOf(value)}`);
      return read;
    }
    for (const [key, each] of Object.entries(value)) {
      const at: Trail = { above: trail, step: key };
      const wrong = keys.wrongWith(key);
      if (wrong !== undefined) complain(reading, at, wrong);
      read.set(key, entry(each, at, reading));
    }
    return read;
  });
}

/** A key that matches a pattern. */
export const keyLike = (pattern: RegExp): KeyRule => ({
  says: `match \`${pattern.source}\``,
  wrongWith: (key) => (pattern.test(key) ? undefined : `has a name that does not match ${pattern.source}`),
});
