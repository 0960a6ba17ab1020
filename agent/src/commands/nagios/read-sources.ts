import { readdir } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { readTextFile } from "../../platform/files/text-file.ts";
import { ImportLimits } from "../import/import-limits.ts";
import type { ImportReport } from "../import/import-report.ts";
import { type NagiosAttribute, type NagiosObject, parseNagiosObjects, parseNagiosOptions } from "./source-objects.ts";

/** Configuration as it is written, before templates apply. */
export type NagiosSources = {
  /** Options of the main file. */
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
  if (!main.ok) return fail(`${mainFile}: cannot be read: ${main.error}`);
  const options = parseNagiosOptions(mainFile, main.value);
  if (!options.has("cfg_file") && !options.has("cfg_dir"))
    return fail(`${mainFile}: names no object files: cfg_file or cfg_dir is needed`);
  const reader = new SourceReader(mainFile, report);
  reader.limits.addSource(main.value.length);
  const objects: NagiosObject[] = [];
  for (const { path, by } of await reader.objectFiles(options)) {
    const parsed = parseNagiosObjects(path, await reader.read(path, by));
    for (const { source, why } of parsed.problems)
      report.add({ source, kind: "file", name: path, outcome: "unsupported", why });
    objects.push(...parsed.objects);
  }
  const resources = await reader.resources(options.get("resource_file") ?? []);
  return ok({ options, resources, objects, limits: reader.limits });
}

class SourceReader {
  readonly limits = new ImportLimits();
  readonly #mainFile: string;
  readonly #report: ImportReport;

  constructor(mainFile: string, report: ImportReport) {
    this.#mainFile = mainFile;
    this.#report = report;
  }

  /** Object files with the options that name them. */
  async objectFiles(
    options: NagiosSources["options"],
  ): Promise<readonly { readonly path: string; readonly by: NagiosAttribute }[]> {
    const files = (options.get("cfg_file") ?? []).map((by) => ({ path: this.#pathOf(by), by }));
    for (const by of options.get("cfg_dir") ?? []) {
      const found = await objectFilesIn(this.#pathOf(by));
      if (found.ok) files.push(...found.value.map((path) => ({ path, by })));
      else this.#leaveOut(this.#pathOf(by), by, found.error);
    }
    return files;
  }

  /** Text of a file; empty when it cannot be read, which is a finding at the option that names it. */
  async read(path: string, by: NagiosAttribute): Promise<string> {
    const text = await readTextFile(path);
    if (text.ok) this.limits.addSource(text.value.length);
    else this.#leaveOut(path, by, text.error);
    return text.ok ? text.value : "";
  }

  /** Values of `$USERn$`. Other names are not taken over: a file that is named by mistake may have any. */
  async resources(files: readonly NagiosAttribute[]): Promise<NagiosSources["resources"]> {
    const resources = new Map<string, NagiosAttribute>();
    for (const by of files) {
      const path = this.#pathOf(by);
      for (const [name, [value]] of parseNagiosOptions(path, await this.read(path, by)))
        if (value !== undefined && /^\$USER\d+\$$/.test(name)) resources.set(name.replaceAll("$", ""), value);
    }
    return resources;
  }

  #pathOf({ value }: NagiosAttribute): string {
    return resolve(dirname(this.#mainFile), value);
  }

  #leaveOut(name: string, { source }: NagiosAttribute, error: string): void {
    this.#report.add({ source, kind: "file", name, outcome: "unsupported", why: `cannot read ${name}: ${error}` });
  }
}

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
