import { formatDuration } from "../../text/duration.ts";

/** Documentation of a part of a document that has its own heading in the reference. */
export type SectionDocs = {
  readonly title: string;
  /** One or more paragraphs of Markdown. */
  readonly intro: string;
  /** A complete CUE document that uses the section. */
  readonly example?: string;
};

/** Documentation of a field, in addition to what its parser accepts. */
export type FieldDocs = {
  /** Meaning of the field, as one or more sentences. */
  readonly help: string;
  /** A value that the field accepts. Required unless the field's type has a section, whose example shows one. */
  readonly example?: unknown;
  /** Conditions that the parser does not check: names that must resolve, fields that it excludes. A phrase. */
  readonly constraint?: string;
};

/** A field as the reference shows it. Without `defaultTo` the field is required. */
export type FieldSchema = {
  readonly parser: { readonly schema: Schema };
  readonly defaultTo?: { readonly value: unknown };
  readonly docs: FieldDocs;
};
export type FieldSchemas = Readonly<Record<string, FieldSchema>>;

/** Name of a scalar type in the reference. */
type TypeName = "string" | "duration" | "number" | "int" | "bool";

/**
 * Accepted values, as data. Each parser builds its schema from the same arguments as its parse function, so the
 * reference page cannot contradict the parser.
 */
export type Schema =
  | { readonly kind: "value"; readonly type: TypeName; readonly constraint: string }
  | { readonly kind: "list"; readonly of: Schema; readonly nonEmpty: boolean }
  /** `keys` describes valid keys as a phrase; empty when every key is valid. */
  | { readonly kind: "map"; readonly of: Schema; readonly keys: string }
  | { readonly kind: "struct"; readonly section: SectionDocs; readonly fields: FieldSchemas }
  | { readonly kind: "variant"; readonly section: SectionDocs; readonly types: VariantSchemas }
  /** Reference by title to a section described elsewhere, for a schema that contains itself. */
  | { readonly kind: "link"; readonly title: string };

/** Schemas of a variant by the value of `type`. */
export type VariantSchemas = Readonly<Record<string, { readonly summary: string; readonly fields: FieldSchemas }>>;

/** Describes a schema's type in words. `link` renders the reference to a section. */
export function formatType(schema: Schema, link: (title: string) => string): string {
  switch (schema.kind) {
    case "value":
      return schema.type;
    case "list":
      return `${schema.nonEmpty ? "non-empty " : ""}list of ${formatType(schema.of, link)}`;
    case "map":
      return `map of ${formatType(schema.of, link)}`;
    case "struct":
    case "variant":
      return link(schema.section.title);
    case "link":
      return link(schema.title);
  }
}

/** Conditions beyond the type, as phrases. Those of a list's elements begin with `each`. */
export function constraintsOf(schema: Schema): readonly string[] {
  switch (schema.kind) {
    case "value":
      return schema.constraint === "" ? [] : [schema.constraint];
    case "list":
      return constraintsOf(schema.of).map((each) => `each ${each}`);
    case "map":
      return [
        ...(schema.keys === "" ? [] : [`keys ${schema.keys}`]),
        ...constraintsOf(schema.of).map((each) => `values ${each}`),
      ];
    default:
      return [];
  }
}

/** Formats a default as a document would write it, in code marks; `empty` and `unset` are plain words. */
export function formatDefault(schema: Schema, value: unknown): string {
  if (value === undefined) return "unset";
  if (value === "" || (typeof value === "object" && value !== null && isEmpty(value))) return "empty";
  if (schema.kind === "value" && schema.type === "duration") return `\`"${formatDuration(value as number)}"\``;
  return schema.kind === "struct" ? "`{}`" : `\`${JSON.stringify(value)}\``;
}

function isEmpty(value: object): boolean {
  if (value instanceof Map) return value.size === 0;
  return Object.keys(value).length === 0;
}
