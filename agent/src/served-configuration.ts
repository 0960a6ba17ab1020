import { showPlanDiff } from "@realmwatch/shared/config/show-plan-diff";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { loadConfiguration, showDiagnostics } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import { readServedFile, writeServedFile } from "./platform/files/text-file.ts";
import { Configuration } from "./realm/configuration.ts";
import type { OpenRealm } from "./realm/open-realm.ts";

type ConfigurationParts = {
  readonly flags: AgentFlags;
  readonly log: Log;
  swap: OpenRealm["swap"];
  reloaded(successful: boolean, atMs: number): void;
};

/** The one way by which a signal and the API change what runs. */
export function serveConfiguration({ flags, log, swap, reloaded }: ConfigurationParts): Configuration {
  const path = flags.config ?? "";
  return new Configuration({
    load: (source) => loadConfiguration(flags, systemClock, { text: source?.text }),
    read: () => readServedFile(path),
    write: (text) => writeServedFile(path, text),
    swap: async (plan) => showPlanDiff(await swap(plan)).join("; "),
    reloaded(outcome) {
      reloaded("changes" in outcome, systemClock.now());
      if ("changes" in outcome) return log.info(outcome, "the configuration was reloaded");
      const diagnostics = showDiagnostics(outcome.diagnostics);
      log.error({ by: outcome.by, diagnostics }, "the configuration was refused: what ran before goes on");
    },
    failed: (what) => log.error({ what }, "configuration"),
  });
}
