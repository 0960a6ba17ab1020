import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag, textFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { agentFlags } from "../flags.ts";
import { importOutputFlags, outIsNeeded, writeImport } from "./import/import-output.ts";
import type { ImportItem } from "./import/import-report.ts";
import { ImportReport } from "./import/import-report.ts";
import { convertNagios } from "./nagios/convert-nagios.ts";
import { readNagiosSources } from "./nagios/read-sources.ts";
import { verifyNagios } from "./nagios/verify-nagios.ts";
import { writeRetainedStates } from "./nagios/write-journal.ts";

const flags = {
  ...importOutputFlags,
  retention: fileFlag(
    "Retention file of Nagios, whose states, downtimes, comments and acknowledgements are taken over.",
  ),
  "data-dir": textFlag("With -retention: data directory of the new agent, which must be empty or new.", "DIR"),
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/** `import-nagios NAGIOS.CFG -out FILE`: converts a configuration of Nagios to a document. */
export const importNagiosSubCommand = subCommand({
  words: ["NAGIOS.CFG"],
  flags,
  async run({ words: [mainFile = ""], values, progress }) {
    const { out, report, lenient, retention, dataDir, realm, verify } = values;
    if (out === undefined) return fail(outIsNeeded);
    if ((retention === undefined) !== (dataDir === undefined))
      return fail({
        code: 2,
        lines: ["realmwatch-agent: -retention and -data-dir need each other: give both or none"],
      });
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
      retention === undefined || dataDir === undefined
        ? ok([])
        : await writeRetainedStates({ retention, dataDir, realm, document });
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
