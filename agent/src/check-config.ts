import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import { loadPlan } from "@realmwatch/shared/load/load-document";
import type { Clock } from "@realmwatch/shared/words/clock";
import { type Diagnostic, showDiagnostic } from "@realmwatch/shared/words/diagnostic";
import type { Result } from "@realmwatch/shared/words/result";
import type { AgentFlags } from "./flags.ts";

type ConfigFlags = Pick<AgentFlags, "config" | "configProfile" | "configTimeout" | "configMemory" | "realm">;

/**
 * Loads the document that the flags name, or `text` in its place. File names in diagnostics are as given; for
 * a text, which came over the API, the name of the file without its folder.
 */
export async function loadConfiguration(
  flags: ConfigFlags,
  clock: Clock,
  text?: string,
): Promise<Result<RealmPlan, readonly Diagnostic[]>> {
  const path = flags.config ?? "";
  const loaded = await loadPlan({
    source: text === undefined ? { kind: "path", path } : { kind: "text", text, name: path },
    names: text === undefined ? "given" : "base",
    limits: { timeoutMs: flags.configTimeout, memoryBytes: flags.configMemory },
    options: {
      realm: flags.realm,
      localZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      profile: flags.configProfile === "demo" ? "demo" : undefined,
    },
    clock,
  });
  return loaded.ok ? { ok: true, value: loaded.value.value } : loaded;
}

/** A line a problem, with how many there are where that is not plain to see. */
export const showDiagnostics = (diagnostics: readonly Diagnostic[]): string[] => diagnostics.map(showDiagnostic);

/** What `-check-config` says of a document that holds. */
export function showCounts(plan: RealmPlan): string {
  const { host, service, process } = countObjects(plan);
  const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;
  return `the configuration holds: ${many(host, "host", "hosts")}, ${many(service, "service", "services")}, ${many(process, "process", "processes")}`;
}
