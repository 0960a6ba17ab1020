import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

/** The checkout's top folder. */
export const root: string = resolve(import.meta.dirname, "../..");

export type Source = { readonly file: string; readonly text: string };

const isForeign = (name: string): boolean => ["node_modules", "dist", "gen", ".git", ".turbo", ".demo"].includes(name);

/** Files of the checkout that match a glob, their paths relative to it; nothing installed or generated. */
export const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => path.split("/").some(isForeign) }).sort();

export const read = (file: string): Source => ({ file, text: readFileSync(join(root, file), "utf8") });

/** Whether a file is a test, or exists for tests only. */
export const isTest = (file: string): boolean => /\.(test|contract)\.tsx?$/.test(file);

/** What a file imports, in any way that a module can: statements, re-exports, `import()` and worker URLs. */
export function importsOf(text: string): string[] {
  const ways = [
    /\bfrom\s+"([^"]+)"/g,
    /^import\s+"([^"]+)"/gm,
    /\bimport\(\s*"([^"]+)"/g,
    /new URL\(\s*"(\.[^"]+\.ts)"/g,
  ];
  const code = withoutComments(text);
  return ways.flatMap((way) => [...code.matchAll(way)].map((match) => match[1] as string));
}

/** A source with its comments blanked out, lines kept. Strings stay; a `//` inside one survives. */
export const withoutComments = (text: string): string =>
  text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (comment, string: string | undefined) => string ?? comment.replace(/[^\n]/g, " "),
  );
