import { startWarnings } from "@realmwatch/shared/api/access/start-warnings";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type AgentFlags, agentStart } from "./flags.ts";

/** Warns of what is permissive about an agent that has started. A start that fails has one line, its reason. */
export function warnAtStart(flags: AgentFlags, log: Pick<Log, "warn">): void {
  for (const warning of startWarnings(agentStart(flags))) log.warn(warning);
}
