import { showDuration } from "../../text/duration.ts";

/** A part of a document with a heading of its own in the reference. */
export type Section = {
  readonly title: string;
  /** One paragraph or several, Markdown. */
  readonly intro: string;
  /** A whole document that shows the section at work, in CUE. */
  readonly example?: string;
};

/** What a field's declaration says beside what its reader accepts. */
export type About = {
  /** What the field means: one sentence. */
  readonly help: string;
  /** A value that the field accepts. Where it is a struct with a section of its own, that section shows one. */
  readonly example?: unknown;
  /** What holds beyond the reader's own rules: names it must resolve to, fields it excludes. A phrase. */
  readonly constraint?: string;
};

/** A field as the reference sees it. Without `otherwise` it must be there. */
export type FieldForm = {
  readonly reader: { readonly form: Form };
  readonly otherwise?: { readonly value: unknown };
  readonly about: About;
};
export type FieldForms = Readonly<Record<string, FieldForm>>;

/** How the value of a field is called: the last word of its type. */
export type TypeWord = "string" | "duration" | "number" | "int" | "bool";

/**
 * What a reader accepts, as data. Each reader carries its own, made from the very arguments it reads by, so that the
 * reference cannot say anything else than what is read.
 */
export type Form =
  | { readonly kind: "value"; readonly type: TypeWord; readonly constraint: string }
  | { readonly kind: "list"; readonly of: Form; readonly filled: boolean }
  /** `keys` is a phrase about what a key must be; empty where anything goes. */
  | { readonly kind: "map"; readonly of: Form; readonly keys: string }
  | { readonly kind: "struct"; readonly section: Section; readonly fields: FieldForms }
  | { readonly kind: "variant"; readonly section: Section; readonly types: TypeForms }
  /** A section that is described elsewhere: ends the circle of a form that holds itself. */
  | { readonly kind: "link"; readonly title: string };

/** By the word in `type`. */
export type TypeForms = Readonly<Record<string, { readonly about: string; readonly fields: FieldForms }>>;

/** A form's type in words, `link` making what stands for a section. */
export function showType(form: Form, link: (title: string) => string): string {
  switch (form.kind) {
    case "value":
      return form.type;
    case "list":
      return `${form.filled ? "non-empty " : ""}list of ${showType(form.of, link)}`;
    case "map":
      return `map of ${showType(form.of, link)}`;
    case "struct":
    case "variant":
      return link(form.section.title);
    case "link":
      return link(form.title);
  }
}

/** What a form demands beyond its type, as phrases; those of a list's elements begin with `each`. */
export function constraintsOf(form: Form): readonly string[] {
  switch (form.kind) {
    case "value":
      return form.constraint === "" ? [] : [form.constraint];
    case "list":
      return constraintsOf(form.of).map((each) => `each ${each}`);
    case "map":
      return [
        ...(form.keys === "" ? [] : [`keys ${form.keys}`]),
        ...constraintsOf(form.of).map((each) => `values ${each}`),
      ];
    default:
      return [];
  }
}

/** A default as it would be written, in code marks; `empty` and `unset` in words. */
export function showDefault(form: Form, value: unknown): string {
  if (value === undefined) return "unset";
  if (value === "" || (typeof value === "object" && value !== null && isEmpty(value))) return "empty";
  if (form.kind === "value" && form.type === "duration") return `\`"${showDuration(value as number)}"\``;
  return form.kind === "struct" ? "`{}`" : `\`${JSON.stringify(value)}\``;
}

function isEmpty(value: object): boolean {
  if (value instanceof Map) return value.size === 0;
  return Object.keys(value).length === 0;
}
