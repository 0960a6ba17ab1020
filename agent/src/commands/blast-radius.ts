import { openLoader } from "@realmwatch/shared/load/load-document";
import type { DocumentSource } from "@realmwatch/shared/load/read-source";
import { oneOf } from "@realmwatch/shared/tools/flag-parsers";
import type { FlagTable } from "@realmwatch/shared/tools/flags";
import { subCommand } from "@realmwatch/shared/tools/run-program";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import { fail, ok } from "@realmwatch/shared/words/result";
import { showDiagnostics } from "../check-config.ts";
import { agentFlags } from "../flags.ts";
import { comparePlans, type PlanChanges, type SectionChange } from "./plan-changes.ts";

const flags = {
  output: {
    kind: "value",
    help: "`table` or `json`.",
    placeholder: "FORMAT",
    fallback: "table",
    parse: oneOf(["table", "json"]),
  },
  "config-profile": agentFlags["config-profile"],
  "config-timeout": agentFlags["config-timeout"],
  "config-memory": agentFlags["config-memory"],
  realm: agentFlags.realm,
} as const satisfies FlagTable;

/** `blast-radius FILE`: what applying FILE in place of the document on stdin would change. */
export const blastRadiusCommand = subCommand({
  words: ["FILE"],
  flags,
  async run({ words: [file = ""], values, readStdin }) {
    const loader = openLoader(systemClock);
    const load = (source: DocumentSource) =>
      loader.plan({
        source,
        limits: { timeoutMs: values.configTimeout, memoryBytes: values.configMemory },
        options: {
          realm: values.realm,
          localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          profile: values.configProfile === "demo" ? "demo" : undefined,
        },
      });
    try {
      const after = await load({ kind: "path", path: file });
      if (!after.ok) return fail({ code: 1, lines: showDiagnostics(after.error) });
      const before = await load({ kind: "text", text: await readStdin(), name: "served.cue" });
      if (!before.ok) return fail({ code: 1, lines: showDiagnostics(before.error) });
      const changes = comparePlans(before.value.value, after.value.value);
      return ok(values.output === "json" ? JSON.stringify(changes, undefined, 2) : showChanges(changes));
    } finally {
      await loader.close();
    }
  },
});

/** Names that are listed of one kind of change; JSON has all. */
const maxNames = 20;

/** Names only: what they stand for may be secret. */
export const showChanges = (changes: PlanChanges): string => Object.entries(changes).flatMap(showSection).join("\n");

function showSection([name, { added, removed, changed, kept }]: [string, SectionChange]): string[] {
  const counts = [
    [added.length, "added"],
    [removed.length, "removed"],
    [changed.length, "changed"],
    [kept, "as before"],
  ] as const;
  const summary = counts.filter(([count]) => count > 0).map(([count, what]) => `${count} ${what}`);
  return [
    `${name}: ${summary.join(", ") || "none"}`,
    ...listed("+", added),
    ...listed("-", removed),
    ...listed("~", changed),
  ];
}

function listed(sign: string, names: readonly string[]): string[] {
  const shown = names.slice(0, maxNames).map((name) => `  ${sign} ${name}`);
  return names.length > maxNames ? [...shown, `  ${sign} and ${names.length - maxNames} more`] : shown;
}
