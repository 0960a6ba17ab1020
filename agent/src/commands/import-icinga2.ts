import { fail, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { convertIcinga } from "./icinga2/convert-icinga.ts";
import type { IcingaObjects } from "./icinga2/icinga-object.ts";
import { readIcingaObjectList } from "./icinga2/object-list.ts";
import { readIcingaConfiguration } from "./icinga2/read-configuration.ts";
import { importFile, importOutputFlags, outIsNeeded, writeImport } from "./import/import-output.ts";
import { ImportReport } from "./import/import-report.ts";

const flags = {
  ...importOutputFlags,
  objects: importFile("Output of icinga2 object list, which is read instead of the configuration."),
  retention: importFile("Refused: states of Icinga 2 are not taken over."),
} as const satisfies FlagTable;

/** `import-icinga2 DIR_OR_FILE -out FILE`, or with `-objects FILE`: converts a configuration of Icinga 2. */
export const importIcinga2SubCommand = subCommand({
  words: ["[DIR_OR_FILE]"],
  flags,
  async run({ words: [path], values }) {
    const { out, report, lenient, objects: list, retention } = values;
    if (out === undefined) return fail(outIsNeeded);
    if (retention !== undefined)
      return refuse("-retention is for Nagios: Icinga 2 has no retention file, and states begin anew");
    if ((path === undefined) === (list === undefined)) return refuse("give either DIR_OR_FILE or -objects FILE");
    const found = new ImportReport();
    const objects: Result<IcingaObjects, string> =
      list === undefined ? readIcingaConfiguration(path ?? "", found) : await readIcingaObjectList(list);
    if (!objects.ok) return fail(objects.error);
    const { document, items } = convertIcinga(objects.value, found);
    const origin = `${list ?? path} by realmwatch import icinga2`;
    return writeImport({ document, items, origin }, { out, report, lenient });
  },
});

const refuse = (message: string) => fail({ code: 2, lines: [`realmwatch-agent: ${message}`] } as const);
