import type { ImportItem } from "./import-report.ts";

/** Object of the sources as a finding names it. */
type ObjectOrigin = Pick<ImportItem, "source" | "kind" | "name">;

/**
 * Notes of the sources about parts of a document, by section and name: `hosts web1`, `hosts web1!Disk`, `commands ping`.
 * A comment of a template is under `templates NAME`.
 */
export type SourceNotes = {
  /** Comments that stand before the objects, without comment signs. */
  readonly comments: ReadonlyMap<string, string>;
  /** First template of each host and service. */
  readonly templates: ReadonlyMap<string, string>;
  readonly origins: ReadonlyMap<string, ObjectOrigin>;
};

/** Part of a document with its origin in the source. */
type PartOrigin = ObjectOrigin & {
  /** Section and name. */
  readonly part: string;
  readonly comment: string | undefined;
  readonly template: string | undefined;
};

/** Notes about the origin of each part of a document. */
export function sourceNotes(origins: readonly PartOrigin[]): SourceNotes {
  const valuesOf = (field: "comment" | "template") =>
    new Map(origins.flatMap(({ part, [field]: value }) => (value === undefined ? [] : [[part, value] as const])));
  return {
    comments: valuesOf("comment"),
    templates: valuesOf("template"),
    origins: new Map(origins.map(({ part, source, kind, name }) => [part, { source, kind, name }])),
  };
}

/** Comment without signs, frames and empty lines; undefined without other text. */
function commentText(lines: readonly string[]): string | undefined {
  const texts = lines
    .map((line) => line.replace(/^[\s#;/*]+/, "").replace(/[\s#*/]+$/, ""))
    .filter((line) => /\w/.test(line));
  return texts.length === 0 ? undefined : texts.join("\n");
}

/**
 * The comment that stands before a line, with at most empty lines in between; undefined without one.
 *
 * @param line number of the line, from 1
 */
export function commentAbove(lines: readonly string[], line: number): string | undefined {
  let at = line - 2;
  while (at >= 0 && lines[at]?.trim() === "") at -= 1;
  const found: string[] = [];
  let isBlock = false;
  for (; at >= 0; at -= 1) {
    const text = lines[at]?.trim() ?? "";
    if (!isBlock && text.endsWith("*/")) isBlock = true;
    else if (!isBlock && !/^(?:[#;]|\/\/)/.test(text)) break;
    found.unshift(text);
    if (isBlock && text.includes("/*")) {
      if (!text.startsWith("/*")) return undefined;
      isBlock = false;
    }
  }
  return commentText(found);
}
