import { startWarnings } from "@realmwatch/shared/api/access/start-warnings";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { AgentFlags } from "./flags.ts";

/** Warns of what is permissive about an agent that has started. A start that fails has one line, its reason. */
export function warnAtStart(flags: AgentFlags, log: Pick<Log, "warn">): void {
  const realm = flags.natsUrl === undefined ? undefined : flags.realm;
  for (const warning of startWarnings({ flags, realm, documents: [flags.config, flags.authConfig] })) log.warn(warning);
}
