import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { importOutputFlags, outIsNeeded, writeImport } from "./import/import-output.ts";
import type { ImportItem } from "./import/import-report.ts";
import { ImportReport } from "./import/import-report.ts";
import { retentionFlags, retentionPathsOf } from "./import/retention/retention-flags.ts";
import { writeRetainedStates } from "./import/retention/write-journal.ts";
import { convertNagios } from "./nagios/convert-nagios.ts";
import { readNagiosRetention } from "./nagios/read-retention.ts";
import { readNagiosSources } from "./nagios/read-sources.ts";
import { verifyNagios } from "./nagios/verify-nagios.ts";

const flags = {
  ...importOutputFlags,
  ...retentionFlags,
} as const satisfies FlagTable;

/** `import-nagios NAGIOS.CFG -out FILE`: converts a configuration of Nagios to a document. */
export const importNagiosSubCommand = subCommand({
  words: ["NAGIOS.CFG"],
  flags,
  async run({ words: [mainFile = ""], values, progress }) {
    const { out, report, lenient, realm, verify } = values;
    if (out === undefined) return fail(outIsNeeded);
    const paths = retentionPathsOf(values);
    if (!paths.ok) return paths;
    const found = new ImportReport();
    progress?.("step 1 of 3, reads the files");
    const sources = await readNagiosSources(mainFile, found);
    if (!sources.ok) return fail(sources.error);
    progress?.(`step 2 of 3, converts ${sources.value.objects.length} objects`);
    const { document, notes, items: converted } = convertNagios(sources.value, found);
    const differences =
      verify === undefined ? ok([]) : await verifyNagios(verify, { document, sources: sources.value });
    if (!differences.ok) return fail(differences.error);
    const lost: Result<readonly ImportItem[], string> =
      paths.value === undefined
        ? ok([])
        : await writeRetainedStates({ ...paths.value, realm, document, read: readNagiosRetention });
    if (!lost.ok) return fail(lost.error);
    const items = [...converted, ...differences.value, ...lost.value];
    const hint =
      verify === undefined
        ? `to compare with Nagios' own list: nagios4 -pv ${mainFile}, then -verify with its precached_object_file`
        : undefined;
    const origin = `${mainFile} by realmwatch import nagios`;
    progress?.(`step 3 of 3, writes ${out}`);
    return writeImport({ document, notes, items, origin, hint }, { out, report, lenient });
  },
});
