import { maxValueLength } from "../import/import-limits.ts";
import type { SourceLine, SourceProblem } from "../import/import-report.ts";
import { commentAbove } from "../import/source-notes.ts";
import { directiveName } from "./directive-names.ts";

/** Value of an attribute with the line on which it is written. */
export type NagiosAttribute = { readonly value: string; readonly source: SourceLine };
/** Option of the main file or of a resource file. */
export type NagiosOption = NagiosAttribute & { readonly name: string };
/** Files that an object file includes, with the number of its objects that stand before. */
type ObjectInclude = { readonly by: NagiosOption; readonly after: number };
/** One `define` block. */
export type NagiosObject = {
  readonly type: string;
  readonly source: SourceLine;
  readonly attributes: ReadonlyMap<string, NagiosAttribute>;
  /** Comment that stands before the definition. */
  readonly comment?: string | undefined;
  /** Name of the first template that it uses. */
  readonly template?: string | undefined;
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
    .replace(/(^|[^\\]);.*$/s, "$1")
    .replaceAll("\\;", ";")
    .trim();

type OpenBlock = {
  readonly type: string;
  readonly source: SourceLine;
  readonly attributes: Map<string, NagiosAttribute>;
  readonly comment: string | undefined;
};

/** Content of an object file. */
type ParsedObjects = {
  readonly objects: readonly NagiosObject[];
  readonly includes: readonly ObjectInclude[];
  readonly problems: readonly SourceProblem[];
};

/**
 * Parses the `define` blocks of an object file. Text outside of blocks, and a block without its end, are
 * problems, which do not repeat the text: a file that is named by mistake may have secrets.
 */
export function parseNagiosObjects(file: string, text: string): ParsedObjects {
  const objects: NagiosObject[] = [];
  const includes: ObjectInclude[] = [];
  const problems: SourceProblem[] = [];
  let block: OpenBlock | undefined;
  let isStray = false;
  const lines = text.split(/\r?\n/);
  for (const { text: raw, line } of joinLines(text)) {
    if (/^\s*#/.test(raw)) continue;
    const clean = withoutComment(raw);
    if (clean === "") continue;
    const source = { file, line };
    if (clean.length > maxValueLength) {
      problems.push({ source, why: `the line is left out: it has more than ${maxValueLength} characters` });
      continue;
    }
    const define = /^define\s+(\w+)\s*\{(.*)$/s.exec(clean);
    if (define !== null) {
      if (block !== undefined)
        problems.push({ source, why: "a definition begins within another one, which is left out" });
      isStray = false;
      block = { type: define[1] ?? "", source, attributes: new Map(), comment: commentAbove(lines, line) };
      addAttribute(block, (define[2] ?? "").replace(/\}$/, ""), source);
      if (clean.endsWith("}")) block = void objects.push(block);
    } else if (block === undefined) {
      const [, name, value = ""] = /^(include_(?:file|dir))=(.*)$/s.exec(clean) ?? [];
      if (name !== undefined) includes.push({ by: { name, value: value.trim(), source }, after: objects.length });
      if (isStray || name !== undefined) continue;
      problems.push({ source, why: 'expected "define TYPE {": the text up to the next definition is left out' });
      isStray = true;
    } else if (clean === "}") block = void objects.push(block);
    else addAttribute(block, clean, source);
  }
  if (block !== undefined) problems.push({ source: block.source, why: "the definition has no closing brace" });
  return { objects, includes, problems };
}

/** Names of a timeperiod have several words and end where the times begin; all other names are one word. */
function addAttribute({ type, attributes }: OpenBlock, text: string, source: SourceLine): void {
  // With single spaces a match takes linear time, however long the line is.
  const range = type === "timeperiod" ? /^(\S.*?) (\d{1,2}:\d{2} ?-.*)$/s.exec(singleSpaced(text)) : null;
  const [, name, value = ""] = range ?? /^\s*(\S+)(?:\s+(.*))?$/s.exec(text) ?? [];
  if (name !== undefined) attributes.set(directiveName(type, singleSpaced(name)), { value: value.trim(), source });
}

const singleSpaced = (text: string): string => text.trim().replaceAll(/\s+/g, " ");

/** Parses a file of `name=value` lines, as the main file and resource files are. */
export function parseNagiosOptions(file: string, text: string): readonly NagiosOption[] {
  return joinLines(text).flatMap(({ text: raw, line }) => {
    const at = raw.indexOf("=");
    const name = raw.slice(0, Math.max(0, at)).trim();
    if (name === "" || name.startsWith("#") || name.startsWith(";")) return [];
    return [{ name, value: raw.slice(at + 1).trim(), source: { file, line } }];
  });
}
