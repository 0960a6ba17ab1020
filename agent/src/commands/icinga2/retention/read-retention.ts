import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
import { readRegularFile } from "@realmwatch/shared/platform/files/regular-file";
import { ImportReport } from "../../import/import-report.ts";
import type { RetainedStates } from "../../import/retention/retained-object.ts";
import type { RetentionContext } from "../../import/retention/write-journal.ts";
import type { SourceNotes } from "../../import/source-notes.ts";
import type { IcingaObject } from "../icinga-object.ts";
import { collectStates } from "./collect-states.ts";
import { readTogglesOff } from "./modified-attributes.ts";
import { faultOf, isReadType } from "./record-fields.ts";
import { readRuntimeObjects } from "./runtime-objects.ts";
import { parseStateFile } from "./state-file.ts";

/** Maximum size of a state file, bytes: 2 KB for each of 250 000 objects. */
const maxStateBytes = 512 * 2 ** 20;

/** Converted configuration that the states belong to. */
export type IcingaStateSources = {
  /** Objects of the configuration, which may declare comments and downtimes too. */
  readonly objects: readonly IcingaObject[];
  readonly notes: SourceNotes;
};

/**
 * Reads the state file of Icinga 2 and the files beside it that have comments, downtimes and attributes that were changed
 * at run time. Fails with the state file, the offset and the reason; what else cannot be taken over is a finding.
 */
export async function readIcingaRetention(
  file: string,
  { objects, notes }: IcingaStateSources,
  context: RetentionContext,
): Promise<Result<RetainedStates, string>> {
  const bytes = await readRegularFile(file, maxStateBytes);
  if (!bytes.ok) return fail(`${file}: cannot be read: ${describeFileError(bytes.error)}`);
  const parsed = parseStateFile(file, bytes.value);
  if (!parsed.ok) return parsed;
  const report = new ImportReport();
  const source = { file, line: 1 };
  for (const { offset, why } of parsed.value.bad)
    report.add({ source, kind: "record", name: `byte ${offset}`, outcome: "unsupported", why });
  const records = parsed.value.records.filter((record) => {
    const why = isReadType(record.type) ? faultOf(record) : undefined;
    if (why !== undefined)
      report.add({
        source,
        kind: record.type,
        name: record.name,
        outcome: "unsupported",
        why: `byte ${record.offset}: ${why}`,
      });
    return isReadType(record.type) && why === undefined;
  });
  const runtime = await readRuntimeObjects(file, objects, report);
  const toggles = await readTogglesOff(file, report);
  const states = collectStates({ records, runtime, toggles }, { file, context, report, notes });
  return ok({ objects: states, items: report.items() });
}
