/** Part of CUE text: an expression as it is written, a list, or a struct. */
export type CueNode = string | readonly CueNode[] | CueStruct;
/** Struct whose fields follow the definitions that it embeds, and its clauses. An open one can have more fields where it is embedded. */
export type CueStruct = {
  readonly embedded?: readonly string[];
  readonly fields: readonly CueField[];
  readonly isOpen?: boolean;
};
/** Field of a struct. `comment` has lines without comment signs, which stand before it. */
export type CueField = {
  readonly name: string;
  readonly value: CueNode;
  readonly comment?: string | undefined;
  readonly isDefinition?: boolean;
};

/** Maximum length of a line that has a whole struct. */
const maxColumns = 140;

/** JSON data as CUE; `textOf` may write a text in another way. */
export function cueNode(value: unknown, textOf: (text: string) => string | undefined = () => undefined): CueNode {
  if (typeof value === "string") return textOf(value) ?? JSON.stringify(value);
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return value.map((each) => cueNode(each, textOf));
  return { fields: cueFields(value, textOf) };
}

/** Fields of JSON data, without those that are undefined. */
export const cueFields = (value: object, textOf?: (text: string) => string | undefined): readonly CueField[] =>
  Object.entries(value).flatMap(([name, field]) =>
    field === undefined ? [] : [{ name, value: cueNode(field, textOf) }],
  );

/** Formats fields as CUE: with tabs, without quotes around plain names, and each struct in one line where it fits. */
export const formatCue = (fields: readonly CueField[]): string => fields.map((field) => formatField(field, 0)).join("");

const keywords: ReadonlySet<string> = new Set(["package", "import", "for", "in", "if", "let", "true", "false", "null"]);

const labelOf = ({ name, isDefinition = false }: CueField): string => {
  if (isDefinition) return name;
  return /^[a-zA-Z][a-zA-Z0-9_]*$/.test(name) && !keywords.has(name) ? name : JSON.stringify(name);
};

const tabs = (depth: number): string => "\t".repeat(depth);

function formatField(field: CueField, depth: number): string {
  const above = (field.comment ?? "").split("\n").map((line) => (line === "" ? "" : `${tabs(depth)}// ${line}\n`));
  return `${above.join("")}${tabs(depth)}${labelled(field, depth)}\n`;
}

/** A field without the tabs before it: in one line where it fits. A struct with one field needs no braces. */
function labelled(field: CueField, depth: number): string {
  const { value } = field;
  const inline = inlineValue(value);
  const head = `${labelOf(field)}: `;
  if (inline !== undefined && 4 * depth + head.length + inline.length <= maxColumns) return head + inline;
  const only = onlyField(value);
  return head + (only === undefined ? expanded(value, depth) : labelled(only, depth));
}

function expanded(value: CueNode, depth: number): string {
  if (typeof value === "string") return value;
  if (isList(value)) {
    const flat = value.every((each) => typeof each === "string");
    if (flat) return inlineOf(value) ?? "";
    const parts = value.map((each) => `${tabs(depth + 1)}${fitting(each, depth + 1)},\n`);
    return `[\n${parts.join("")}${tabs(depth)}]`;
  }
  const { true: definitions = [], false: clauses = [] } = Object.groupBy(value.embedded ?? [], (each) =>
    each.startsWith("#") ? "true" : "false",
  );
  const embedded = [...(definitions.length > 0 ? [definitions.join(", ")] : []), ...clauses].map(
    (each) => `${tabs(depth + 1)}${each}\n`,
  );
  const fields = value.fields.map((field) => formatField(field, depth + 1));
  const open = value.isOpen === true ? [`${tabs(depth + 1)}...\n`] : [];
  return `{\n${[...embedded, ...fields, ...open].join("")}${tabs(depth)}}`;
}

function fitting(value: CueNode, depth: number): string {
  const inline = inlineOf(value);
  return inline !== undefined && 4 * depth + inline.length < maxColumns ? inline : expanded(value, depth);
}

const isList = (value: CueNode): value is readonly CueNode[] => Array.isArray(value);

/** The field of a struct that has nothing else, and no comment. */
function onlyField(value: CueNode): CueField | undefined {
  if (typeof value === "string" || isList(value) || value.isOpen === true) return undefined;
  const [first, ...others] = value.fields;
  const isOnly = others.length === 0 && (value.embedded ?? []).length === 0 && first?.comment === undefined;
  return isOnly ? first : undefined;
}

/** Text in one line, a struct with its braces; undefined where a comment forbids it. */
export function inlineOf(value: CueNode): string | undefined {
  if (typeof value === "string") return value;
  if (isList(value)) return joined(value.map(inlineOf), "[", "]");
  const open = value.isOpen === true ? ["..."] : [];
  return joined([...(value.embedded ?? []), ...value.fields.map(inlineField), ...open], "{", "}");
}

/** Text in one line after a label, where a struct with one field needs no braces. */
function inlineValue(value: CueNode): string | undefined {
  const only = onlyField(value);
  return only === undefined ? inlineOf(value) : inlineField(only);
}

function inlineField(field: CueField): string | undefined {
  const inline = inlineValue(field.value);
  return field.comment === undefined && inline !== undefined ? `${labelOf(field)}: ${inline}` : undefined;
}

const joined = (parts: readonly (string | undefined)[], open: string, close: string): string | undefined =>
  parts.some((part) => part === undefined || part.includes("\n")) ? undefined : `${open}${parts.join(", ")}${close}`;
