/** Formats JSON data as CUE, with tabs and without quotes around plain names. */
export function formatPlainCue(value: object): string {
  return Object.entries(value)
    .map(([name, field]) => `${label(name)}: ${format(field, 0)}\n`)
    .join("");
}

const keywords: ReadonlySet<string> = new Set(["package", "import", "for", "in", "if", "let", "true", "false", "null"]);

const label = (name: string): string =>
  /^[a-zA-Z][a-zA-Z0-9_]*$/.test(name) && !keywords.has(name) ? name : JSON.stringify(name);

function format(value: unknown, depth: number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) {
    const isFlat = value.every((each) => typeof each !== "object");
    const parts = value.map((each) => format(each, depth + 1));
    return isFlat
      ? `[${parts.join(", ")}]`
      : `[\n${parts.map((part) => indent(depth + 1, part)).join("")}${tabs(depth)}]`;
  }
  const fields = Object.entries(value);
  if (fields.length === 0) return "{}";
  const lines = fields.map(([name, field]) => `${tabs(depth + 1)}${label(name)}: ${format(field, depth + 1)}\n`);
  return `{\n${lines.join("")}${tabs(depth)}}`;
}

const tabs = (depth: number): string => "\t".repeat(depth);
const indent = (depth: number, text: string): string => `${tabs(depth)}${text},\n`;
