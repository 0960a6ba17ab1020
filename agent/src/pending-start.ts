import type { Log } from "@realmwatch/shared/platform/log/log";
import type { loadConfigurationWithSource } from "./check-config.ts";
import type { AgentFlags } from "./flags.ts";
import type { JournalOptions } from "./journal/journal.ts";
import type { openRecoveredJournal } from "./recovered-journal.ts";
import type { ServiceManager } from "./service-manager.ts";

/** Start in progress: the slowest steps run on threads of their own while the other modules are loaded. */
export type PendingStart = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly service: ServiceManager;
  readonly loading: ReturnType<typeof loadConfigurationWithSource>;
  readonly opening: ReturnType<typeof openRecoveredJournal>;
  readonly journalCallbacks: JournalCallbacks;
};

/** Callbacks of the journal, which is opened before their receivers: `openAgentCore` replaces the empty ones. */
export type JournalCallbacks = {
  -readonly [K in "onSync" | "refsMatching"]: NonNullable<JournalOptions[K]>;
};
