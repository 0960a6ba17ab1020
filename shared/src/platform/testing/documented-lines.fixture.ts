import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../../../..");

/** Code block of a page: its language, what follows it in the fence, its text, and the line of its fence. */
type Fence = { readonly language: string; readonly word: string; readonly text: string; readonly line: number };

/** Code blocks of a page in their order, without their indentation. */
export function fencesOf(page: string): Fence[] {
  return [...page.matchAll(/^( *)```(\w*) ?(.*)\n([\s\S]*?)^\1```$/gm)].map((match) => {
    const [, indent = "", language = "", word = "", text = ""] = match;
    const line = page.slice(0, match.index).split("\n").length;
    return { language, word, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), ""), line };
  });
}

/** Command line of a program in a page: its place, and the words after the program's name. */
type DocumentedLine = { readonly place: string; readonly args: readonly string[] };

/** Command lines of a program in the code blocks of all pages of the documentation, without synopses. */
export function documentedLines(program: string): DocumentedLine[] {
  const pages = globSync(["*.md", "docs/**/*.md", "charts/*/README.md"], { cwd: root });
  return pages
    .filter((page) => !page.includes("node_modules"))
    .flatMap((page) => fencesOf(readFileSync(join(root, page), "utf8")).map((fence) => ({ page, ...fence })))
    .filter(({ language }) => ["", "sh", "console", "text"].includes(language))
    .flatMap(({ page, text }) =>
      linesOf(program, text).map((line) => ({ place: `${page}: ${program} ${line}`, args: wordsOf(line) })),
    );
}

/** Texts after a program's name where it begins a command: a line, or what follows a pipe, a substitution or variables. */
function linesOf(program: string, block: string): string[] {
  const calls = new RegExp(`^[ $]*(?:\\w+=(?:"[^"]*"|\\S)* +)*(?:.*[|(] *)?${program} (.+)$`, "gm");
  const lines = block.replace(/\\\n\s*/g, "").matchAll(calls);
  return [...lines].map((match) => match[1] as string).filter((line) => !/^COMMAND|\[\w/.test(line));
}

/** Words of a command in the syntax of a shell, up to its end: a pipe, a redirection, a comment, another command. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  const piece =
    /\s+(?:#.*$)?|'([^']*)'|"((?:\\.|[^"\\])*)"|(\$\([^)]*\))|\\(.)|([|><&;)])|((?:(?!\$\()[^\s'"\\|><&;)])+)/gy;
  let word: string | undefined;
  for (const [, single, double, substituted, escaped, end, plain] of line.matchAll(piece)) {
    if (end !== undefined) break;
    const text = single ?? double ?? substituted ?? escaped ?? plain;
    if (text === undefined && word !== undefined) words.push(word);
    word = text === undefined ? undefined : (word ?? "") + text;
  }
  // `…` stands for further flags.
  return (word === undefined ? words : [...words, word]).filter((each) => each !== "…");
}
