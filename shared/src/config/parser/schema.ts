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
  /** Messages about the field's value do not quote it. */
  readonly secret?: true;
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
