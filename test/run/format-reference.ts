import type {
  FieldSchema,
  FieldSchemas,
  Schema,
  SectionDocs,
  VariantSchemas,
} from "@realmwatch/shared/config/parser/schema";
import { formatDuration } from "@realmwatch/shared/text/duration";

/** Schema with a section of its own. */
type SectionSchema = Extract<Schema, { readonly kind: "struct" | "variant" }>;

/**
 * Formats the reference sections of a schema and of all schemas within it as Markdown, each section once.
 *
 * @param level heading level of the schema's own section; the other sections are one level below
 */
export function formatReference(root: Schema, level: number): string {
  const sections = sectionSchemas(root);
  return sections.map((each, i) => formatSection(each, i === 0 ? level : level + 1)).join("\n");
}

/** Lists the schemas that have a section, each before the schemas within it. */
export function sectionSchemas(root: Schema): readonly SectionSchema[] {
  const found = new Map<string, SectionSchema>();
  const visit = (schema: Schema): void => {
    if (schema.kind === "list" || schema.kind === "map") return visit(schema.of);
    if ((schema.kind !== "struct" && schema.kind !== "variant") || found.has(schema.section.title)) return;
    found.set(schema.section.title, schema);
    for (const { parser } of fieldSchemas(schema)) visit(parser.schema);
  };
  visit(root);
  return [...found.values()];
}

/** Fields of a struct, or of all types of a variant. */
export const fieldSchemas = (schema: SectionSchema): readonly FieldSchema[] =>
  (schema.kind === "struct" ? [schema.fields] : Object.values(schema.types).map(({ fields }) => fields)).flatMap(
    (fields) => Object.values(fields),
  );

function formatSection(schema: SectionSchema, level: number): string {
  const { title, intro, example }: SectionDocs = schema.section;
  const parts = [
    `${"#".repeat(level)} ${title}`,
    intro,
    ...(schema.kind === "struct" ? [formatFields(schema.fields)] : formatTypes(schema.types, level + 1)),
    ...(example === undefined ? [] : [`\`\`\`cue\n${example}\n\`\`\``]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** Formats the fields that all types share, then a table for each type with further fields. */
function formatTypes(types: VariantSchemas, level: number): readonly string[] {
  const names = Object.keys(types);
  const all = Object.values(types).map(({ fields }) => fields);
  const shared = Object.fromEntries(
    Object.entries(all[0] ?? {}).filter(([name, field]) => all.every((fields) => fields[name] === field)),
  );
  const kinds = names.map((name) => `| \`"${name}"\` | ${types[name]?.summary ?? ""} |`);
  return [
    ["| `type` | |", "|---|---|", ...kinds].join("\n"),
    ...(Object.keys(shared).length === 0 ? [] : ["Every type has these fields.", formatFields(shared)]),
    ...names.flatMap((name) => {
      const own = Object.entries(types[name]?.fields ?? {}).filter(([field]) => !Object.hasOwn(shared, field));
      if (own.length === 0) return [];
      return [`${"#".repeat(level)} \`type: "${name}"\``, formatFields(Object.fromEntries(own))];
    }),
  ];
}

function formatFields(fields: FieldSchemas): string {
  const rows = Object.entries(fields).map(([name, field]) => `| ${rowOf(name, field).map(cell).join(" | ")} |`);
  return ["| field | type | default | constraint | meaning | example |", "|---|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function rowOf(name: string, { parser: { schema }, defaultTo, docs }: FieldSchema): readonly string[] {
  const constraints = [...constraintsOf(schema), ...(docs.constraint === undefined ? [] : [docs.constraint])];
  return [
    `\`${name}\``,
    formatType(schema, (title) => `[${title}](#${anchorOf(title)})`),
    defaultTo === undefined ? "required" : formatDefault(schema, defaultTo.value),
    constraints.join("; "),
    docs.help,
    docs.example === undefined ? "below" : `\`${formatLiteral(docs.example)}\``,
  ];
}

/** Escapes pipes, which would end a table cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** Link target of a heading. */
const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");

/** Describes a schema's type in words. `link` renders the reference to a section. */
function formatType(schema: Schema, link: (title: string) => string): string {
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
function constraintsOf(schema: Schema): readonly string[] {
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
function formatDefault(schema: Schema, value: unknown): string {
  if (value === undefined) return "unset";
  if (value === "" || (typeof value === "object" && value !== null && isEmpty(value))) return "empty";
  if (schema.kind === "value" && schema.type === "duration") return `\`"${formatDuration(value as number)}"\``;
  return schema.kind === "struct" ? "`{}`" : `\`${JSON.stringify(value)}\``;
}

function isEmpty(value: object): boolean {
  if (value instanceof Map) return value.size === 0;
  return Object.keys(value).length === 0;
}

/** Formats a value as CUE on one line. Field names are quoted only when CUE requires it. */
function formatLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatLiteral).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, each]) => `${formatName(name)}: ${formatLiteral(each)}`);
  return `{${fields.join(", ")}}`;
}

const formatName = (name: string): string => (/^[A-Za-z][A-Za-z0-9]*$/.test(name) ? name : JSON.stringify(name));
