import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readTextFile } from "../../../platform/files/text-file.ts";
import type { ImportReport } from "../../import/import-report.ts";
import { type IcingaObject, shortName, targetRefOf, templateLibrary } from "../icinga-object.ts";
import { readIcingaConfiguration } from "../read-configuration.ts";

/** Comment or downtime, with its name as the state file and other downtimes have it: `host!service!id`. */
export type RuntimeObject = { readonly name: string; readonly ref: string; readonly object: IcingaObject };

/** Types of objects that are made at run time, and the folders that have a file for each. */
const folders = { Comment: "comments", Downtime: "downtimes" };

export const isRuntimeObject = ({ type }: Pick<IcingaObject, "type">): boolean => Object.hasOwn(folders, type);

/**
 * Comments and downtimes that the configuration declares, and those that Icinga 2 keeps as configuration files in the
 * package `_api` beside its state file. A file wins over a declaration, because an object list may be older.
 *
 * @param report receives what cannot be read
 */
export async function readRuntimeObjects(
  stateFile: string,
  declared: readonly IcingaObject[],
  report: ImportReport,
): Promise<readonly RuntimeObject[]> {
  const stage = await activeStage(apiPackageOf(stateFile), report);
  const stored =
    stage === undefined
      ? []
      : Object.values(folders).flatMap((name) => readFolder(join(stage, "conf.d", name), report));
  const named = [...declared, ...stored].filter(isRuntimeObject).map((object): readonly [string, RuntimeObject] => {
    const ref = targetRefOf(object);
    const name = `${ref}!${shortName(object)}`;
    return [`${object.type} ${name}`, { name, ref, object }];
  });
  return [...new Map(named).values()];
}

/** Folder in which Icinga 2 keeps objects that are made at run time. */
export const apiPackageOf = (stateFile: string): string => join(dirname(stateFile), "api", "packages", "_api");

/** Folder of the stage of a package that is in use; undefined without one. */
async function activeStage(folder: string, report: ImportReport): Promise<string | undefined> {
  if (!existsSync(folder)) return undefined;
  const file = join(folder, "active-stage");
  const text = await readTextFile(file);
  const name = text.ok ? text.value.trim() : "";
  if (/^[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name)) return join(folder, name);
  const why = text.ok ? "must have the name of a stage" : `cannot be read: ${describeFileError(text.error)}`;
  report.add({ source: { file, line: 1 }, kind: "file", name: file, outcome: "unsupported", why });
  return undefined;
}

function readFolder(folder: string, report: ImportReport): readonly IcingaObject[] {
  // Icinga 2 makes the folder with the first object.
  if (!existsSync(folder)) return [];
  const read = readIcingaConfiguration(folder, { report, library: templateLibrary });
  if (read.ok) return read.value.objects;
  report.add({
    source: { file: folder, line: 1 },
    kind: "file",
    name: folder,
    outcome: "unsupported",
    why: read.error,
  });
  return [];
}
