import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readTextFile } from "../../platform/files/text-file.ts";
import { compareDocuments } from "../import/compare-documents.ts";
import { type ImportItem, ImportReport } from "../import/import-report.ts";
import type { CueObject } from "../import/imported-document.ts";
import { convertNagios } from "./convert-nagios.ts";
import { nagiosNameOf } from "./nagios-configuration.ts";
import type { NagiosSources } from "./read-sources.ts";
import { type NagiosObject, parseNagiosObjects } from "./source-objects.ts";

/** Options that give a meaning to lists; the lists of precached objects are expanded already. */
const listOptions = ["use_regexp_matching", "use_true_regexp_matching"];

/**
 * [IM27] Compares a document with what Nagios itself has, as `nagios4 -pv` writes it to the precached object file: there
 * templates, groups and lists are applied. Fails with the file and the reason.
 */
export async function verifyNagios(
  file: string,
  { document, sources }: { readonly document: CueObject; readonly sources: NagiosSources },
): Promise<Result<readonly ImportItem[], string>> {
  const text = await readTextFile(file);
  if (!text.ok) return fail(`${file}: cannot be read: ${describeFileError(text.error)}`);
  const { objects } = parseNagiosObjects(file, text.value);
  if (objects.length === 0) return fail(`${file}: has no object: it must be the precached object file of nagios4 -pv`);
  const options = new Map([...sources.options].filter(([name]) => !listOptions.includes(name)));
  const expected = convertNagios({ ...sources, objects: objects.map(inOrder), options }, new ImportReport());
  const places = new Map(objects.map((object) => [`${object.type} ${nagiosNameOf(object)}`, object.source]));
  return ok(compareDocuments(document, expected.document, (object) => places.get(object) ?? { file, line: 1 }));
}

/** A contact with its commands in the order of the configuration: Nagios lists them in reverse. */
function inOrder(object: NagiosObject): NagiosObject {
  const attributes = new Map(object.attributes);
  for (const name of ["host_notification_commands", "service_notification_commands"]) {
    const commands = attributes.get(name);
    if (commands === undefined) continue;
    attributes.set(name, { ...commands, value: commands.value.split(",").toReversed().join(",") });
  }
  return { ...object, attributes };
}
