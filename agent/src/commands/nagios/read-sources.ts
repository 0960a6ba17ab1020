import { readdir, realpath } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCode } from "@realmwatch/shared/platform/error-text";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { isFolder, readTextFile } from "../../platform/files/text-file.ts";
import { ImportLimits } from "../import/import-limits.ts";
import type { ImportReport } from "../import/import-report.ts";
import {
  type NagiosAttribute,
  type NagiosObject,
  type NagiosOption,
  parseNagiosObjects,
  parseNagiosOptions,
} from "./source-objects.ts";

/** Configuration as it is written, before templates apply. */
export type NagiosSources = {
  /** Options of the main file and of the files that it includes. */
  readonly options: ReadonlyMap<string, readonly NagiosAttribute[]>;
  /** Values of `$USERn$` by name without dollar signs. */
  readonly resources: ReadonlyMap<string, NagiosAttribute>;
  readonly objects: readonly NagiosObject[];
  readonly limits: ImportLimits;
};

/**
 * Reads the main file and all that it names. Fails with the file and the reason when the main file cannot be read; what
 * else cannot be read is a finding.
 */
export async function readNagiosSources(
  mainFile: string,
  report: ImportReport,
): Promise<Result<NagiosSources, string>> {
  const main = await readTextFile(mainFile);
  if (!main.ok) return fail(`${mainFile}: cannot be read: ${describeFileError(main.error)}`);
  const reader = new SourceReader(mainFile, report);
  reader.limits.addSource(main.value.length);
  const options = Map.groupBy(await reader.options(mainFile, main.value), ({ name }) => name);
  const named = (name: string): readonly NagiosOption[] => options.get(name) ?? [];
  if (!options.has("cfg_file") && !options.has("cfg_dir"))
    return fail(`${mainFile}: names no object files: cfg_file or cfg_dir is needed`);
  // Nagios reads the file first that is named last, and of several definitions the first counts.
  const objects: NagiosObject[] = [];
  for (const by of [...named("cfg_file").toReversed(), ...named("cfg_dir").toReversed()])
    for (const path of await reader.filesOf(by)) await reader.addObjects(objects, { path, by });
  const resources = await reader.resources(named("resource_file"));
  return ok({ options, resources, objects, limits: reader.limits });
}

/** File with the option that names it. */
type NamedFile = { readonly path: string; readonly by: NagiosOption };

class SourceReader {
  readonly limits = new ImportLimits();
  readonly #mainFile: string;
  readonly #report: ImportReport;
  /** Files that others include: each is read once, because files can include each other. */
  readonly #included = new Set<string>();

  constructor(mainFile: string, report: ImportReport) {
    this.#mainFile = mainFile;
    this.#report = report;
  }

  /** Options of a main file, with those of the files that it includes in their place. */
  async options(file: string, text: string): Promise<readonly NagiosOption[]> {
    const options: NagiosOption[] = [];
    for (const option of parseNagiosOptions(file, text))
      if (!isInclude(option)) options.push(option);
      else
        for (const path of await this.#newFilesOf(option, { isDeep: false }))
          for (const inner of await this.options(path, await this.#read({ path, by: option }))) options.push(inner);
    return options;
  }

  /** Paths of the file, or of the files of the folder, that an option names. A folder that cannot be read is a finding. */
  async filesOf(by: NagiosOption, { isDeep = true } = {}): Promise<readonly string[]> {
    const path = resolve(dirname(this.#mainFile), by.value);
    return by.name.endsWith("_dir") ? this.#filesIn(path, by, isDeep ? new Set() : undefined) : [path];
  }

  /** Adds the objects of a file, with those of the files that it includes in their place. */
  async addObjects(objects: NagiosObject[], { path, by }: NamedFile): Promise<void> {
    const parsed = parseNagiosObjects(path, await this.#read({ path, by }));
    for (const { source, why } of parsed.problems)
      this.#report.add({ source, kind: "file", name: path, outcome: "unsupported", why });
    let added = 0;
    const addUpTo = (end: number): void => {
      for (const object of parsed.objects.slice(added, end)) objects.push(object);
      added = end;
    };
    for (const { by: include, after } of parsed.includes) {
      addUpTo(after);
      for (const inner of await this.#newFilesOf(include)) await this.addObjects(objects, { path: inner, by: include });
    }
    addUpTo(parsed.objects.length);
  }

  /** Values of `$USERn$`. Other names are not taken over: a file that is named by mistake may have any. */
  async resources(files: readonly NagiosOption[]): Promise<NagiosSources["resources"]> {
    const resources = new Map<string, NagiosAttribute>();
    for (const by of files)
      for (const path of await this.filesOf(by))
        for (const { name, ...value } of parseNagiosOptions(path, await this.#read({ path, by }))) {
          const macro = name.replaceAll("$", "");
          if (/^\$USER\d+\$$/.test(name)) resources.set(macro, value);
        }
    return resources;
  }

  /**
   * Paths of the `.cfg` files of a folder, sorted, without hidden ones.
   *
   * @param seen with it also those of the folders in it; it has the real paths of those that were read, as links can make
   *             circles
   */
  async #filesIn(folder: string, by: NagiosOption, seen: Set<string> | undefined): Promise<readonly string[]> {
    const entries = await entriesOf(folder);
    if (!entries.ok) this.#leaveOut(folder, by, entries.error);
    if (!entries.ok || seen?.has(entries.value.real)) return [];
    seen?.add(entries.value.real);
    const files: string[] = [];
    for (const path of entries.value.paths)
      if (!(await isFolder(path))) files.push(...(path.endsWith(".cfg") ? [path] : []));
      else if (seen !== undefined) for (const inner of await this.#filesIn(path, by, seen)) files.push(inner);
    return files;
  }

  async #newFilesOf(by: NagiosOption, depth?: { readonly isDeep: boolean }): Promise<readonly string[]> {
    const files = await this.filesOf(by, depth);
    for (const path of files) if (this.#included.has(path)) this.#leaveOut(path, by, "it is included already");
    const fresh = files.filter((path) => !this.#included.has(path));
    for (const path of fresh) this.#included.add(path);
    return fresh;
  }

  /** Text of a file; empty when it cannot be read, which is a finding at the option that names it. */
  async #read({ path, by }: NamedFile): Promise<string> {
    const text = await readTextFile(path);
    if (text.ok) this.limits.addSource(text.value.length);
    else this.#leaveOut(path, by, text.error);
    return text.ok ? text.value : "";
  }

  #leaveOut(name: string, { source }: NagiosOption, error: string): void {
    const why = `cannot read ${name}: ${describeFileError(error)}`;
    this.#report.add({ source, kind: "file", name, outcome: "unsupported", why });
  }
}

const isInclude = ({ name }: NagiosOption): boolean => name === "include_file" || name === "include_dir";

type FolderEntries = { readonly real: string; readonly paths: readonly string[] };

/** Real path of a folder, and the paths in it, without hidden ones. */
async function entriesOf(folder: string): Promise<Result<FolderEntries, string>> {
  try {
    const names = (await readdir(folder)).filter((name) => !name.startsWith(".")).sort();
    return ok({ real: await realpath(folder), paths: names.map((name) => join(folder, name)) });
  } catch (error) {
    return fail(errorCode(error));
  }
}
