import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { promisify } from "node:util";

export const root = join(import.meta.dirname, "../..");
const run = promisify(execFile);

/** Code block of a page: a new file, or lines that are added and removed after context lines of an existing one. */
export type Step = { readonly file: string; readonly isNew: boolean; readonly lines: readonly string[] };

/** Copy of the checkout in which the steps of a page are followed. */
type Recipe = {
  readonly copy: string;
  readonly steps: readonly Step[];
  /** Applies a step. */
  write(step: Step): void;
  revert(step: Step): void;
  /** Errors of the type checker in a project; empty without errors. */
  typeErrors(project: string): Promise<string>;
  /** Runs Node.js in the copy, and returns its output; rejects with the output when it fails. */
  run(...args: readonly string[]): Promise<string>;
};

/**
 * Copies folders of the checkout. Links of our own packages lead to the copy, all others to the checkout.
 *
 * @param projects settings of the type checker by name; tests are left out
 */
export function openRecipe(
  page: string,
  { folders, projects }: { readonly folders: readonly string[]; readonly projects: Readonly<Record<string, object>> },
): Recipe {
  const copy = mkdtempSync(join(tmpdir(), "realmwatch-recipe-"));
  after(() => rmSync(copy, { recursive: true }));
  for (const folder of folders) cpSync(join(root, folder), join(copy, folder), { recursive: true });
  const packages = ["shared", "agent", "aggregator", "shared/cli", "shared/dashboard", "proto"];
  for (const name of packages) {
    mkdirSync(join(copy, name), { recursive: true });
    cpSync(join(root, name, "package.json"), join(copy, name, "package.json"));
  }
  cpSync(join(root, "tsconfig.base.json"), join(copy, "tsconfig.base.json"));
  const own = join(copy, "node_modules/@realmwatch");
  mkdirSync(own, { recursive: true });
  for (const name of readdirSync(join(root, "node_modules")))
    if (name !== "@realmwatch") symlinkSync(join(root, "node_modules", name), join(copy, "node_modules", name));
  for (const name of ["shared", "agent", "proto"]) symlinkSync(join(copy, name), join(own, name));
  for (const [name, settings] of Object.entries(projects)) writeProject(join(copy, `${name}.json`), settings);
  const node = async (...args: readonly string[]): Promise<string> => {
    const { NODE_TEST_CONTEXT: _, ...env } = process.env;
    // For the type checker, which collects garbage half of its time by default.
    return (await run(process.execPath, args, { cwd: copy, env: { ...env, GOGC: "400" } })).stdout;
  };
  return {
    copy,
    steps: stepsOf(readFileSync(join(root, page), "utf8")),
    write: (step) => writeFileSync(join(copy, step.file), applied(step)),
    revert({ file, isNew }) {
      if (isNew) rmSync(join(copy, file));
      else cpSync(join(root, file), join(copy, file));
    },
    typeErrors: (project) =>
      node(join(root, "node_modules/typescript/bin/tsc"), "--singleThreaded", "-p", join(copy, `${project}.json`)).then(
        () => "",
        (error: { stdout: string }) => error.stdout,
      ),
    run: node,
  };
}

function writeProject(file: string, settings: object): void {
  // After a step is reverted, only the files that it affects are checked again.
  const incremental = { incremental: true, tsBuildInfoFile: `${file}.tsbuildinfo` };
  const options = { ...incremental, noEmit: true, composite: false, declaration: false, emitDeclarationOnly: false };
  const compilerOptions = { ...options, allowImportingTsExtensions: true, rewriteRelativeImportExtensions: false };
  const project = { extends: "./tsconfig.base.json", compilerOptions, exclude: ["**/*.test.ts"], ...settings };
  writeFileSync(file, JSON.stringify(project));
}

const stepsOf = (page: string): readonly Step[] =>
  [...page.matchAll(/^ {3}```(\w+) (create )?(\S+)\n([\s\S]*?)^ {3}```$/gm)].map(
    ([, , create, file = "", text = ""]) => ({
      file,
      isNew: create !== undefined,
      lines: text.split("\n").map((line) => line.slice(3)),
    }),
  );

/** Sources of a file after a step. A line that is removed, or after which lines are added, must occur exactly once. */
function applied({ file, isNew, lines }: Step): string {
  if (isNew) return lines.join("\n");
  const source = readFileSync(join(root, file), "utf8").split("\n");
  let at = 0;
  for (const line of lines.filter(Boolean)) {
    const text = line.slice(1);
    if (line.startsWith("+")) source.splice(++at, 0, text);
    else {
      at = source.indexOf(text);
      assert.ok(at >= 0 && at === source.lastIndexOf(text), `${file}: ${line}`);
      if (line.startsWith("-")) source.splice(at--, 1);
    }
  }
  return source.join("\n");
}
