import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf } from "@realmwatch/shared/platform/flags/flag-parsers";
import type { FlagTable } from "@realmwatch/shared/platform/flags/flags";
import { optionalFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import type { ProgramExit } from "@realmwatch/shared/platform/process/run-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { parseInstant } from "@realmwatch/shared/text/instant";
import { nearestName } from "@realmwatch/shared/text/nearest-name";
import { formatDiagnostics, loadConfiguration } from "../check-config.ts";
import { agentFlags } from "../flags.ts";

/** Flags that control how a sub-command reads a document. */
export const documentFlags = {
  "config-profile": agentFlags["config-profile"],
  "config-timeout": agentFlags["config-timeout"],
  "config-memory": agentFlags["config-memory"],
  "cue-command": agentFlags["cue-command"],
} as const satisfies FlagTable;

export const outputFlag = {
  kind: "value",
  help: "`table` or `json`.",
  placeholder: "FORMAT",
  fallback: "table",
  parse: oneOf(["table", "json"]),
} as const;

/** Loads the document of a sub-command, or the text given in its place. Fails with its problems, one a line. */
export async function readDocument(
  options: Parameters<typeof loadConfiguration>[0],
  text?: string,
): Promise<Result<RealmPlan, ProgramExit>> {
  const plan = await loadConfiguration(options, systemClock, { text });
  return plan.ok ? plan : fail({ code: 1, lines: formatDiagnostics(plan.error) });
}

/** Refusal of a command line without `-config`. @param declares what the document is needed for */
export const configIsNeeded = (declares: string): ProgramExit => ({
  code: 2,
  lines: [`realmwatch-agent: -config is needed: the document that declares ${declares}`],
});

/** Entry that the document declares under a name. Fails with a sentence that names the nearest one. */
export function findDeclared<T>(
  [kind, name]: readonly [kind: string, name: string],
  entries: ReadonlyMap<string, T>,
  where = "",
): Result<T, string> {
  const found = entries.get(name);
  if (found !== undefined) return ok(found);
  const nearest = nearestName(name, entries.keys());
  const hint = nearest === undefined ? "it declares none" : `did you mean ${JSON.stringify(nearest)}?`;
  return fail(`${kind} ${JSON.stringify(name)} is not declared${where}: ${hint}`);
}

/** Flag with a time. Without a value it is undefined. */
export const instantFlag = (help: string) =>
  optionalFlag(
    help,
    "TIME",
    (text: string): Result<number | undefined, string> => (text === "" ? ok(undefined) : parseInstant(text)),
  );
