import { isStruct } from "../../text/json-values.ts";
import { problemMessage } from "../problem-message.ts";
import {
  addProblem,
  createParser,
  describeType,
  describeUnknownField,
  type LocalUse,
  type ParseContext,
  type Parser,
  type PathNode,
  quoteText,
  toDocumentPath,
} from "./parser.ts";
import { picklist } from "./scalars.ts";
import type { FieldDocs, SectionDocs } from "./schema.ts";

/** Declaration of a struct's field, used by the parser and by the reference. Without `defaultTo` it is required. */
export type Field<T> = {
  readonly parser: Parser<T>;
  readonly defaultTo?: { readonly value: T };
  readonly docs: FieldDocs;
};

export const required = <T>(parser: Parser<T>, docs: FieldDocs): Field<T> => ({ parser, docs });

export const withDefault = <T, D extends T>(parser: Parser<T>, value: D, docs: FieldDocs): Field<T> => ({
  parser,
  defaultTo: { value },
  docs,
});

/** Declares a field that is undefined when it is absent. */
export const optional = <T>(parser: Parser<T>, docs: FieldDocs): Field<T | undefined> =>
  withDefault<T | undefined, undefined>(parser, undefined, docs);

export type Fields = Readonly<Record<string, Field<unknown>>>;
export type StructOutput<F extends Fields> = { readonly [K in keyof F]: F[K] extends Field<infer T> ? T : never };

/** Creates a parser of a closed struct: an unknown field is a problem. A value of another type reads as `{}`. */
export function struct<F extends Fields>(fields: F, section: SectionDocs): Parser<StructOutput<F>> {
  const known = new Map(Object.entries<Field<unknown>>(fields));
  const requiredFields = [...known].filter(([, { defaultTo }]) => defaultTo === undefined);
  const defaults: Record<string, unknown> = {};
  for (const [name, { defaultTo }] of known) defaults[name] = defaultTo?.value;
  return createParser({ kind: "struct", section, fields }, (value, node, context) => {
    const isValid = isStruct(value);
    const given = isValid ? value : {};
    if (!isValid) addProblem(context, node, `must be a struct, not ${describeType(value)}`);
    const output = { ...defaults };
    for (const name of Object.keys(given)) {
      const field = known.get(name);
      const child: PathNode = { parent: node, key: name };
      if (field === undefined) addProblem(context, child, describeUnknownField(name, [...known.keys()]));
      else output[name] = field.parser(given[name], child, context);
    }
    for (const [name, field] of requiredFields) {
      if (Object.hasOwn(given, name)) continue;
      if (isValid) {
        const path = toDocumentPath(node);
        context.problems.push({ path, message: problemMessage([...path, name], "is missing"), at: "struct" });
      }
      // A missing field has been reported: its parser yields its fallback and the second problem is dropped.
      output[name] = field.parser(undefined, node, { ...context, problems: [] });
    }
    return output as StructOutput<F>;
  });
}

/** One type of a variant: a summary sentence, what it uses, and its fields in addition to `type`. */
export type VariantType<F extends Fields> = {
  readonly summary: string;
  readonly uses: LocalUse;
  readonly fields: F;
};
export type VariantTypes = Readonly<Record<string, VariantType<Fields>>>;
/** Struct as the document has it, of any of the types. */
export type VariantOutput<V extends VariantTypes> = {
  [T in keyof V]: StructOutput<V[T]["fields"]> & { readonly type: T };
}[keyof V];

/** Type of a variant with the part of the plan that is compiled from its fields. */
type PlannedType<F extends Fields, P extends object> = VariantType<F> & { compile(document: StructOutput<F>): P };

/** Creates a function that declares types of a variant. Each has its own fields and the `common` ones; `M`: more of it. */
export const plannedTypes =
  <C extends Fields, M extends object = object>(common: C) =>
  <F extends Fields, P extends object>({
    fields,
    ...type
  }: VariantType<F> & M & { compile(document: StructOutput<F & C>): P }): PlannedType<F & C, P> & M =>
    ({ ...type, fields: { ...fields, ...common } }) as PlannedType<F & C, P> & M;

type PlannedTypes = Readonly<Record<string, VariantType<Fields> & { compile(document: never): object }>>;

/** Part of a plan that depends on the type of a variant. */
export type VariantPlan<V extends PlannedTypes> = {
  [T in keyof V]: Readonly<ReturnType<V[T]["compile"]>> & { readonly type: T };
}[keyof V];

export function compileVariant<V extends PlannedTypes>(types: V, document: VariantOutput<V>): VariantPlan<V> {
  const { type } = document;
  // The map pairs each type with its document, which the compiler cannot follow through an index.
  return { type, ...types[type]?.compile(document as never) } as VariantPlan<V>;
}

/** Creates a parser of a struct whose fields depend on its `type`. Yields undefined for an unknown type. */
export function variant<V extends VariantTypes>(
  kind: string,
  types: V,
  section: SectionDocs,
): Parser<VariantOutput<V> | undefined> {
  const parsers = new Map(
    Object.entries(types).map(([type, { uses, fields }]) => {
      const typeField = required(picklist([type]), { help: "", example: type });
      return [type, { uses, parse: struct({ type: typeField, ...fields }, section) }];
    }),
  );
  return createParser({ kind: "variant", section, types }, (value, node, context) => {
    if (!isStruct(value)) {
      addProblem(context, node, `must be a struct, not ${describeType(value)}`);
      return undefined;
    }
    const isAllowed = ({ uses }: { readonly uses: LocalUse }): boolean => context.allowedUses?.includes(uses) ?? true;
    const parser = parsers.get(value.type as string);
    if (parser === undefined || !isAllowed(parser)) {
      const accepted = [...parsers]
        .filter(([, each]) => isAllowed(each))
        .map(([type]) => type)
        .sort();
      addTypeProblem(value, { kind, accepted }, node, context);
      return undefined;
    }
    return parser.parse(value, node, context) as never;
  });
}

function addTypeProblem(
  value: Readonly<Record<string, unknown>>,
  { kind, accepted }: { readonly kind: string; readonly accepted: readonly string[] },
  node: PathNode,
  context: ParseContext,
): void {
  const path = toDocumentPath(node);
  const acceptedTypes = `accepted: ${accepted.join(", ") || "none"}`;
  if (!Object.hasOwn(value, "type")) {
    const message = problemMessage([...path, "type"], `is missing; ${acceptedTypes}`);
    context.problems.push({ path, message, at: "struct" });
    return;
  }
  const { type } = value;
  const child: PathNode = { parent: node, key: "type" };
  const predicate =
    typeof type === "string"
      ? `names an unknown ${kind} type ${quoteText(type)}`
      : `must be a string, not ${describeType(type)}`;
  addProblem(context, child, `${predicate}; ${acceptedTypes}`);
}

/** Creates a parser of a list. A value of another type reads as an empty list. */
export function list<T>(element: Parser<T>, { nonEmpty = false } = {}): Parser<readonly T[]> {
  return createParser({ kind: "list", of: element.schema, nonEmpty }, (value, node, context) => {
    if (!Array.isArray(value)) {
      addProblem(context, node, `must be a list, not ${describeType(value)}`);
      return [];
    }
    if (nonEmpty && value.length === 0) addProblem(context, node, "must not be empty");
    return value.map((each, key) => element(each, { parent: node, key }, context));
  });
}

/** Rule for the keys of a map. */
export type KeyRule = {
  /** Valid keys, as a phrase for the reference. */
  readonly description: string;
  /** Predicate that says why a key is invalid; undefined when it is valid. */
  readonly problemOf: (key: string) => string | undefined;
};

const anyKey: KeyRule = { description: "", problemOf: () => undefined };

/** Creates a parser of a map from names to entries. An entry with an invalid name is still parsed. */
export function map<T>(entry: Parser<T>, keys: KeyRule = anyKey): Parser<ReadonlyMap<string, T>> {
  return createParser({ kind: "map", of: entry.schema, keys: keys.description }, (value, node, context) => {
    const entries = new Map<string, T>();
    if (!isStruct(value)) {
      addProblem(context, node, `must be a struct, not ${describeType(value)}`);
      return entries;
    }
    for (const [key, each] of Object.entries(value)) {
      const child: PathNode = { parent: node, key };
      const predicate = keys.problemOf(key);
      if (predicate !== undefined) addProblem(context, child, predicate);
      entries.set(key, entry(each, child, context));
    }
    return entries;
  });
}

/** Creates the rule that a key matches a pattern. */
export const keyMatching = (pattern: RegExp): KeyRule => ({
  description: `match \`${pattern.source}\``,
  problemOf: (key) => (pattern.test(key) ? undefined : `has a name that does not match ${pattern.source}`),
});
