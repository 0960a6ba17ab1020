import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { subCommand } from "@realmwatch/shared/platform/process/run-program";
import { convertIcinga } from "./icinga2/convert-icinga.ts";
import { type IcingaObjects, templateLibrary } from "./icinga2/icinga-object.ts";
import { readIcingaObjectList } from "./icinga2/object-list.ts";
import { readIcingaConfiguration } from "./icinga2/read-configuration.ts";
import { type IcingaStateSources, readIcingaRetention } from "./icinga2/retention/read-retention.ts";
import { isRuntimeObject } from "./icinga2/retention/runtime-objects.ts";
import { compareDocuments } from "./import/compare-documents.ts";
import { importOutputFlags, outIsNeeded, writeImport } from "./import/import-output.ts";
import { type ImportItem, ImportReport } from "./import/import-report.ts";
import type { CueObject } from "./import/imported-document.ts";
import { type RetentionPaths, retentionFlags, retentionPathsOf } from "./import/retention/retention-flags.ts";
import { writeRetainedStates } from "./import/retention/write-journal.ts";

const flags = {
  ...importOutputFlags,
  objects: fileFlag("Output of icinga2 object list, which is read instead of the configuration."),
  include: {
    kind: "value",
    help: "Folder of the template library of Icinga 2, whose commands are read.",
    placeholder: "DIR",
    fallback: templateLibrary,
    parse: ok<string>,
  },
  ...retentionFlags,
} as const satisfies FlagTable;

/** `import-icinga2 DIR_OR_FILE -out FILE`, or with `-objects FILE`: converts a configuration of Icinga 2. */
export const importIcinga2SubCommand = subCommand({
  words: ["[DIR_OR_FILE]"],
  flags,
  async run({ words: [path], values, progress }) {
    const { out, report, lenient, objects: list, realm, verify, include: library } = values;
    if (out === undefined) return fail(outIsNeeded);
    const paths = retentionPathsOf(values);
    if (!paths.ok) return paths;
    if ((path === undefined) === (list === undefined)) return refuse("give either DIR_OR_FILE or -objects FILE");
    const found = new ImportReport();
    progress?.("step 1 of 3, reads the files");
    const objects: Result<IcingaObjects, string> =
      list === undefined
        ? readIcingaConfiguration(path ?? "", { report: found, library })
        : await readIcingaObjectList(list);
    if (!objects.ok) return fail(objects.error);
    progress?.(`step 2 of 3, converts ${objects.value.objects.length} objects`);
    const { document, notes, items: converted } = convertIcinga(objects.value, found);
    const differences = verify === undefined ? ok([]) : await verifyIcinga(verify, document);
    if (!differences.ok) return fail(differences.error);
    const lost = await takeOverStates(paths.value, {
      realm,
      document,
      sources: { objects: objects.value.objects, notes },
    });
    if (!lost.ok) return fail(lost.error);
    const hint =
      verify === undefined && list === undefined
        ? "to compare with Icinga's own list: icinga2 object list > FILE, then -verify FILE"
        : undefined;
    // The state has the comments and downtimes.
    const items =
      paths.value === undefined ? converted : converted.filter(({ kind }) => !isRuntimeObject({ type: kind }));
    const origin = `${list ?? path} by realmwatch import icinga2`;
    progress?.(`step 3 of 3, writes ${out}`);
    return writeImport(
      { document, notes, items: [...items, ...differences.value, ...lost.value], origin, hint },
      { out, report, lenient },
    );
  },
});

/** Makes the journal of a new agent when there is a state file. Returns what is not taken over. */
async function takeOverStates(
  paths: RetentionPaths | undefined,
  {
    realm,
    document,
    sources,
  }: { readonly realm: string; readonly document: CueObject; readonly sources: IcingaStateSources },
): Promise<Result<readonly ImportItem[], string>> {
  if (paths === undefined) return ok([]);
  return writeRetainedStates({
    ...{ ...paths, realm, document },
    read: (file, context) => readIcingaRetention(file, sources, context),
  });
}

/** [IM27] Compares a document with what `icinga2 object list` prints. Fails with the file and the reason. */
async function verifyIcinga(file: string, document: CueObject): Promise<Result<readonly ImportItem[], string>> {
  const objects = await readIcingaObjectList(file);
  if (!objects.ok) return objects;
  const expected = convertIcinga(objects.value, new ImportReport());
  const places = new Map(
    objects.value.objects.map(({ type, name, source }) => [`${placeKinds[type] ?? type} ${name}`, source]),
  );
  return ok(
    compareDocuments(document, expected.document, (object) => places.get(object) ?? { file, line: 1 }).filter(
      // The list is of the time before rules assign groups.
      ({ why }) => !why.startsWith("groups: "),
    ),
  );
}

const placeKinds: Readonly<Record<string, string>> = { Host: "host", Service: "service", User: "contact" };

const refuse = (message: string) => fail({ code: 2, lines: [`realmwatch-agent: ${message}`] } as const);
