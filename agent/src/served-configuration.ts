import { formatPlanDiff } from "@realmwatch/shared/config/diff/format-plan-diff";
import type { Loader } from "@realmwatch/shared/load/load-document";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { formatDiagnostics, loadConfigurationWithSource, readConfigurationSource } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import { replaceTextFile } from "./platform/files/text-file.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import { ActiveConfiguration, type ActiveConfigurationOptions } from "./realm/reload/active-configuration.ts";

type ConfigurationParts = Pick<ActiveConfigurationOptions, "document" | "applied"> & {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly loader: Loader;
  swap: OpenRealm["swap"];
  reloaded(successful: boolean, atMs: number): void;
  /** Called with the time that the evaluation of a document took, ms. */
  evaluated(tookMs: number): void;
};

/** Configuration that is being served: loads, applies and rewrites it for the signal and for the API. */
export function serveConfiguration(parts: ConfigurationParts): ActiveConfiguration {
  const { flags, log, document, loader, swap, applied, reloaded, evaluated } = parts;
  const path = flags.config ?? "";
  return new ActiveConfiguration({
    document,
    applied,
    async load(source) {
      const startedMs = systemClock.monotonic();
      const loaded = await loadConfigurationWithSource(flags, systemClock, { text: source?.text, loader });
      evaluated(systemClock.monotonic() - startedMs);
      return loaded;
    },
    path,
    read: () => readConfigurationSource(flags),
    write: (text) => replaceTextFile(path, text),
    async swap(plan) {
      const diff = await swap(plan);
      const { added, changed, removed } = diff;
      const summary = formatPlanDiff(diff).join("; ");
      return { summary, added: added.length, changed: changed.length, removed: removed.length };
    },
    reloaded(outcome) {
      reloaded("changes" in outcome, systemClock.now());
      if ("changes" in outcome) return log.info(outcome, "the configuration was reloaded");
      const diagnostics = formatDiagnostics(outcome.diagnostics);
      log.error({ by: outcome.by, diagnostics }, "the configuration was refused; the running one stays in force");
    },
    failed: (what) => log.error({ what }, "configuration"),
  });
}
