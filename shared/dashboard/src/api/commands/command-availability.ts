import { useAppContext } from "../context/app-context.tsx";
import { useIdentity, useServerInfo } from "../server/server-info.ts";
import { useOverview } from "../status/overview.ts";
import type { CommandClient } from "./command-client.ts";

/** Reason why commands to a realm are not available; undefined when they are. */
type BlockedReasonOf = (realm: string) => string | undefined;

export function useBlockedReason(): BlockedReasonOf {
  const { info } = useServerInfo();
  const identity = useIdentity();
  const { data } = useOverview();
  return (realm) => {
    if (info === undefined) return "Waiting for the server";
    if (info.readOnly) return "This server is read-only";
    if (identity?.mayCommand === false) return `Needs operator: ${identity.name} is ${identity.role}`;
    const owner = data?.realms.find(({ name }) => name === realm);
    return owner?.reachable === false ? `Realm ${realm} is unreachable` : undefined;
  };
}

/** Command client for the connected server: an aggregator forwards commands, an agent executes them. */
export function useCommandClient(): CommandClient {
  const { agentCommands, forwardedCommands } = useAppContext();
  const { info } = useServerInfo();
  return info?.aggregator === true ? forwardedCommands : agentCommands;
}
