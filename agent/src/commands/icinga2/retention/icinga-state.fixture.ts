import { join } from "node:path";
import type { TestContext } from "node:test";
import { type SourceFiles, writeSources } from "../../import/import-run.fixture.ts";
import { type ImportedStates, withImportedStates } from "../../import/retention/imported-states.fixture.ts";
import { importIcinga2SubCommand } from "../../import-icinga2.ts";
import { runSubCommand } from "../../run-sub-command.fixture.ts";

const configuration = `
object NotificationCommand "page" { command = [ "/opt/page" ] }
object User "ann" { }
object User "boss" { states = [ OK, Critical, Up, Down ] }
object Host "web1" { check_command = "passive", max_check_attempts = 5, address = "192.0.2.1" }
object Host "web2" { check_command = "passive", max_check_attempts = 5, address = "192.0.2.2" }
object Service "Disk" { host_name = "web1", check_command = "passive", max_check_attempts = 3 }
object Notification "first" { host_name = "web1", command = "page", users = [ "ann" ], interval = 1h }
object Notification "late" { host_name = "web1", command = "page", users = [ "boss" ], interval = 1h, times = { begin = 2h } }
object TimePeriod "night" { ranges = { monday = "02:00-03:00" } }
object ScheduledDowntime "backup" { host_name = "web2", author = "adm", comment = "Backups run", ranges = { monday = "02:00-03:00" } }
`;

/** Object of a state file. */
export type StateRecord = { readonly type: string; readonly name: string; readonly update: object };

/** A record as a state file has it. */
export const netstring = (text: string): string => `${Buffer.byteLength(text)}:${text},`;

export const stateText = (records: readonly StateRecord[]): string =>
  records.map((record) => netstring(JSON.stringify(record))).join("");

/** Text of an object that Icinga 2 stores at run time, with its attributes in the form of the language. */
export const runtimeObject = (type: string, name: string, attributes: Readonly<Record<string, unknown>>): string =>
  `object ${type} "${name}" ignore_on_error {\n${Object.entries(attributes)
    .map(([key, value]) => `\t${key} = ${typeof value === "number" ? value.toFixed(6) : JSON.stringify(value)}\n`)
    .join("")}}\n`;

/** Files of the package of the API in its active stage, by path below its `conf.d`. */
export const apiPackage = (files: SourceFiles): SourceFiles => ({
  "lib/api/packages/_api/active-stage": "stage-1",
  ...Object.fromEntries(
    Object.entries(files).map(([path, text]) => [`lib/api/packages/_api/stage-1/conf.d/${path}`, text]),
  ),
});

/** Imports a small site with a state file, and files beside it in `lib`. */
export async function importIcingaStates(
  t: TestContext,
  state: string,
  { files = {}, flags = [] }: { readonly files?: SourceFiles; readonly flags?: readonly string[] } = {},
): Promise<ImportedStates> {
  const folder = writeSources(t, { "icinga2.conf": configuration, "lib/icinga2.state": state, ...files });
  const dataDir = join(folder, "data");
  const output = await runSubCommand(importIcinga2SubCommand, [
    ...[join(folder, "icinga2.conf"), "-out", join(folder, "out.cue"), "-realm", "fra"],
    ...["-retention", join(folder, "lib/icinga2.state"), "-data-dir", dataDir, ...flags],
  ]);
  const shortened = {
    ...output,
    stdout: output.stdout.replaceAll(`${folder}/`, ""),
    stderr: output.stderr.replaceAll(`${folder}/`, ""),
  };
  return withImportedStates(shortened, dataDir);
}
