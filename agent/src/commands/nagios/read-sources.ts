import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { readTextFile } from "../../platform/files/text-file.ts";
import { type NagiosAttribute, type NagiosObject, parseNagiosObjects, parseNagiosOptions } from "./source-objects.ts";

/** Configuration as it is written, before templates apply. */
export type NagiosSources = {
  /** Options of the main file. */
  readonly options: ReadonlyMap<string, readonly NagiosAttribute[]>;
  /** Values of `$USERn$` by name without dollar signs. */
  readonly resources: ReadonlyMap<string, NagiosAttribute>;
  readonly objects: readonly NagiosObject[];
};

/** Reads the main file and all that it names. Fails with the file, where known the line, and the reason. */
export async function readNagiosSources(mainFile: string): Promise<Result<NagiosSources, string>> {
  const main = await readTextFile(mainFile);
  if (!main.ok) return fail(`${mainFile}: cannot be read: ${main.error}`);
  const options = parseNagiosOptions(mainFile, main.value);
  const named = (name: string): readonly NagiosAttribute[] => options.get(name) ?? [];
  const pathOf = ({ value }: NagiosAttribute): string => resolve(dirname(mainFile), value);
  const files: { readonly path: string; readonly by: NagiosAttribute }[] = [];
  for (const by of named("cfg_file")) files.push({ path: pathOf(by), by });
  for (const by of named("cfg_dir")) {
    const found = await objectFilesIn(pathOf(by));
    if (!found.ok) return fail(`${placeOf(by)}: cannot read ${pathOf(by)}: ${found.error}`);
    files.push(...found.value.map((path) => ({ path, by })));
  }
  if (files.length === 0) return fail(`${mainFile}: names no object files: cfg_file or cfg_dir is needed`);
  const objects: NagiosObject[] = [];
  for (const { path, by } of files) {
    const text = await readTextFile(path);
    if (!text.ok) return fail(`${placeOf(by)}: cannot read ${path}: ${text.error}`);
    const parsed = parseNagiosObjects(path, text.value);
    if (!parsed.ok) return parsed;
    objects.push(...parsed.value);
  }
  const resources = new Map<string, NagiosAttribute>();
  for (const by of named("resource_file")) {
    const text = await readTextFile(pathOf(by));
    if (!text.ok) return fail(`${placeOf(by)}: cannot read ${pathOf(by)}: ${text.error}`);
    for (const [name, [value]] of parseNagiosOptions(pathOf(by), text.value))
      if (value !== undefined) resources.set(name.replaceAll("$", ""), value);
  }
  return ok({ options, resources, objects });
}

const placeOf = ({ source: { file, line } }: NagiosAttribute): string => `${file}:${line}`;

/** Paths of the `.cfg` files of a folder and the folders in it, sorted. */
async function objectFilesIn(folder: string): Promise<Result<readonly string[], string>> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const files: string[] = [];
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        const inner = await objectFilesIn(path);
        if (!inner.ok) return inner;
        files.push(...inner.value);
      } else if (entry.name.endsWith(".cfg")) files.push(path);
    }
    return ok(files);
  } catch (error) {
    return fail((error as NodeJS.ErrnoException).code ?? "unknown error");
  }
}
