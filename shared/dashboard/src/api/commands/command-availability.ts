import { useAppContext } from "../context/app-context.tsx";
import { useIdentity, useServerInfo } from "../server/server-info.ts";
import { useStatusSnapshot } from "../status/status-feed.ts";
import type { CommandClient } from "./command-client.ts";

/** Why commands to a realm are not offered; undefined where they are. */
export type BlockedReasonOf = (realm: string) => string | undefined;

export function useBlockedReason(): BlockedReasonOf {
  const { info } = useServerInfo();
  const identity = useIdentity();
  const { data } = useStatusSnapshot("overview");
  return (realm) => {
    if (info === undefined) return "The server has not said yet what it allows";
    if (info.readOnly) return "This server is read-only";
    if (identity?.mayCommand === false) return `${identity.name} needs the role operator`;
    const owner = data?.realms.find(({ name }) => name === realm);
    return owner?.reachable === false ? `Realm ${realm} is unreachable` : undefined;
  };
}

/** The commands of the server at hand: an aggregator forwards, an agent takes them itself. */
export function useCommandClient(): CommandClient {
  const { agentCommands, forwardedCommands } = useAppContext();
  const { info } = useServerInfo();
  return info?.aggregator === true ? forwardedCommands : agentCommands;
}
