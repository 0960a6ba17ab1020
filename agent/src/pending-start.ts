import type { Log } from "@realmwatch/shared/platform/log/log";
import type { ServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import type { loadConfigurationWithSource } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import type { JournalOptions } from "./journal/journal.ts";
import type { openRecoveredJournal } from "./recovered-journal.ts";

/** Start in progress: the slowest steps run on threads of their own while the other modules are loaded. */
export type PendingStart = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly service: ServiceManager;
  readonly loading: ReturnType<typeof loadConfigurationWithSource>;
  /** Time at which `loading` began, on the monotonic clock, ms. */
  readonly loadingSinceMs: number;
  readonly opening: ReturnType<typeof openRecoveredJournal>;
  readonly journalCallbacks: JournalCallbacks;
  /** Version of the CUE that evaluates the configuration. */
  readonly cueVersion: string;
};

/** Callbacks of the journal, which is opened before their receivers: `openAgentCore` replaces the empty ones. */
export type JournalCallbacks = {
  -readonly [K in "onSync" | "refsMatching"]: NonNullable<JournalOptions[K]>;
};
