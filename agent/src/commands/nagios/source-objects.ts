import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { SourceLine } from "../import/import-report.ts";

/** Value of an attribute with the line on which it is written. */
export type NagiosAttribute = { readonly value: string; readonly source: SourceLine };
/** One `define` block. */
export type NagiosObject = {
  readonly type: string;
  readonly source: SourceLine;
  readonly attributes: ReadonlyMap<string, NagiosAttribute>;
};

/** Joins lines that end in a backslash, and keeps the number of the first one. */
function joinLines(text: string): readonly { readonly text: string; readonly line: number }[] {
  const joined: { text: string; line: number }[] = [];
  let open = false;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const continues = raw.endsWith("\\") && !raw.endsWith("\\\\");
    const part = continues ? raw.slice(0, -1) : raw;
    const last = joined.at(-1);
    if (open && last !== undefined) last.text += part.trimStart();
    else joined.push({ text: part, line: index + 1 });
    open = continues;
  }
  return joined;
}

/** Removes a comment: everything after a `;` that no backslash precedes. */
const withoutComment = (text: string): string =>
  text
    .replace(/(^|[^\\]);.*$/, "$1")
    .replaceAll("\\;", ";")
    .trim();

/** Parses the `define` blocks of an object file. Fails with `file:line: message`. */
export function parseNagiosObjects(file: string, text: string): Result<readonly NagiosObject[], string> {
  const objects: NagiosObject[] = [];
  let block: { type: string; source: SourceLine; attributes: Map<string, NagiosAttribute> } | undefined;
  for (const { text: raw, line } of joinLines(text)) {
    if (/^\s*#/.test(raw)) continue;
    const clean = withoutComment(raw);
    if (clean === "") continue;
    const source = { file, line };
    const define = /^define\s+(\w+)\s*\{(.*)$/.exec(clean);
    if (define !== null) {
      if (block !== undefined) return fail(`${file}:${line}: a definition begins within another one`);
      block = { type: define[1] ?? "", source, attributes: new Map() };
      addAttribute(block, (define[2] ?? "").replace(/\}\s*$/, ""), source);
      if (clean.endsWith("}")) block = void objects.push(block);
    } else if (block === undefined) {
      if (/^include_(file|dir)=/.test(clean)) continue;
      return fail(`${file}:${line}: expected "define TYPE {", found ${JSON.stringify(clean)}`);
    } else if (clean === "}") block = void objects.push(block);
    else addAttribute(block, clean, source);
  }
  return block === undefined
    ? ok(objects)
    : fail(`${block.source.file}:${block.source.line}: the definition has no closing brace`);
}

type OpenBlock = { readonly type: string; readonly attributes: Map<string, NagiosAttribute> };

/** Names of a timeperiod have several words and end where the times begin; all other names are one word. */
function addAttribute({ type, attributes }: OpenBlock, text: string, source: SourceLine): void {
  const range = type === "timeperiod" ? /^\s*(\S.*?)\s+(\d{1,2}:\d{2}\s*-.*)$/.exec(text) : null;
  const [, name, value = ""] = range ?? /^\s*(\S+)(?:\s+(.*))?$/.exec(text) ?? [];
  if (name !== undefined) attributes.set(name.replaceAll(/\s+/g, " "), { value: value.trim(), source });
}

/** Parses a file of `name=value` lines, as the main file and resource files are. Repeated names keep all values. */
export function parseNagiosOptions(file: string, text: string): ReadonlyMap<string, readonly NagiosAttribute[]> {
  const options = new Map<string, NagiosAttribute[]>();
  for (const { text: raw, line } of joinLines(text)) {
    const [, name, value = ""] = /^\s*([^#;=\s][^=]*?)\s*=(.*)$/.exec(raw) ?? [];
    if (name === undefined) continue;
    const values = options.get(name) ?? [];
    options.set(name, values);
    values.push({ value: value.trim(), source: { file, line } });
  }
  return options;
}
