import { globSync, readFileSync } from "node:fs";
import { join, posix, resolve } from "node:path";

/** Absolute path of the checkout's top folder. */
export const root: string = resolve(import.meta.dirname, "../..");

type Source = { readonly file: string; readonly text: string };

const isForeign = (name: string): boolean => ["node_modules", "dist", "gen", ".git", ".turbo", ".demo"].includes(name);

/** Files of the checkout that match a glob, as paths relative to it; installed and generated files are left out. */
export const filesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root, exclude: (path) => path.split("/").some(isForeign) }).sort();

/** Every source of the project: programs, tests, dashboard, and the scripts that run before TypeScript can. */
export const allSources = (): string[] => filesOf("{shared,agent,aggregator,proto,test,compose}/**/*.{ts,tsx,mjs}");

export const read = (file: string): Source => ({ file, text: readFileSync(join(root, file), "utf8") });

/** True for a file that is a test or a contract that tests call. */
export const isTest = (file: string): boolean => /\.(test|contract)\.tsx?$/.test(file);

/** Paths that a file imports by statement, re-export, `import()` or worker URL. */
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

/** File that an import path of `file` names, relative to the checkout; undefined for packages from outside. */
export function targetOf(file: string, path: string): string | undefined {
  if (path.startsWith(".")) return posix.join(posix.dirname(file), path);
  const own = /^@realmwatch\/(\w+)\/(.+)$/.exec(path);
  if (own === null) return undefined;
  if (own[1] === "proto") return `proto/${own[2]}`;
  return `${own[1] === "cli" ? "shared/cli" : own[1]}/src/${own[2]}.ts`;
}

/** A source with its comments blanked out and its lines kept. A `//` inside a string survives. */
export const withoutComments = (text: string): string =>
  text.replace(
    /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (comment, string: string | undefined) => string ?? comment.replace(/[^\n]/g, " "),
  );
