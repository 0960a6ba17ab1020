import {
  constraintsOf,
  type FieldForm,
  type FieldForms,
  type Form,
  type Section,
  showDefault,
  showType,
  type TypeForms,
} from "./schema.ts";
import { showLiteral } from "./format-literal.ts";

type Sectioned = Extract<Form, { readonly kind: "struct" | "variant" }>;

/**
 * The sections of the reference that a form and everything in it have, in Markdown: the form's own first, then those
 * within it, each once.
 *
 * @param level of the first heading; the others are one below
 */
export function showReference(root: Form, level: number): string {
  const sections = sectionsOf(root);
  return sections.map((each, i) => showSection(each, i === 0 ? level : level + 1)).join("\n");
}

/** The forms with a section of their own, each before those within it. */
export function sectionsOf(root: Form): readonly Sectioned[] {
  const found = new Map<string, Sectioned>();
  const visit = (form: Form): void => {
    if (form.kind === "list" || form.kind === "map") return visit(form.of);
    if ((form.kind !== "struct" && form.kind !== "variant") || found.has(form.section.title)) return;
    found.set(form.section.title, form);
    for (const { reader } of fieldsOf(form)) visit(reader.form);
  };
  visit(root);
  return [...found.values()];
}

/** Every field of a form, those of all types where it is a variant. */
export const fieldsOf = (form: Sectioned): readonly FieldForm[] =>
  (form.kind === "struct" ? [form.fields] : Object.values(form.types).map(({ fields }) => fields)).flatMap((fields) =>
    Object.values(fields),
  );

function showSection(form: Sectioned, level: number): string {
  const { title, intro, example }: Section = form.section;
  const parts = [
    `${"#".repeat(level)} ${title}`,
    intro,
    ...(form.kind === "struct" ? [showFields(form.fields)] : showTypes(form.types, level + 1)),
    ...(example === undefined ? [] : [`\`\`\`cue\n${example}\n\`\`\``]),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** First what all types share, then a table for each that has more. */
function showTypes(types: TypeForms, level: number): readonly string[] {
  const names = Object.keys(types);
  const all = Object.values(types).map(({ fields }) => fields);
  const shared = Object.fromEntries(
    Object.entries(all[0] ?? {}).filter(([name, field]) => all.every((fields) => fields[name] === field)),
  );
  const kinds = names.map((name) => `| \`"${name}"\` | ${types[name]?.about ?? ""} |`);
  return [
    ["| `type` | |", "|---|---|", ...kinds].join("\n"),
    ...(Object.keys(shared).length === 0 ? [] : ["Every type has these fields.", showFields(shared)]),
    ...names.flatMap((name) => {
      const own = Object.entries(types[name]?.fields ?? {}).filter(([field]) => !Object.hasOwn(shared, field));
      if (own.length === 0) return [];
      return [`${"#".repeat(level)} \`type: "${name}"\``, showFields(Object.fromEntries(own))];
    }),
  ];
}

function showFields(fields: FieldForms): string {
  const rows = Object.entries(fields).map(([name, field]) => `| ${rowOf(name, field).map(cell).join(" | ")} |`);
  return ["| field | type | default | constraint | meaning | example |", "|---|---|---|---|---|---|", ...rows].join(
    "\n",
  );
}

function rowOf(name: string, { reader: { form }, otherwise, about }: FieldForm): readonly string[] {
  const constraints = [...constraintsOf(form), ...(about.constraint === undefined ? [] : [about.constraint])];
  return [
    `\`${name}\``,
    showType(form, (title) => `[${title}](#${anchorOf(title)})`),
    otherwise === undefined ? "required" : showDefault(form, otherwise.value),
    constraints.join("; "),
    about.help,
    about.example === undefined ? "below" : `\`${showLiteral(about.example)}\``,
  ];
}

/** Pipes would end a cell. */
const cell = (text: string): string => text.replaceAll("|", "\\|");

/** What a heading is called in links. */
const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");
