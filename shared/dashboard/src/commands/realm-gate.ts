import { useIdentity, useServerInfo } from "../api/server-info.ts";
import { useSnapshot } from "../api/status-feed.ts";
import { useServices } from "../services/services.tsx";
import type { Commands } from "./commands.ts";

/** Why commands to a realm are not offered; undefined where they are. */
export type GateOf = (realm: string) => string | undefined;

export function useGate(): GateOf {
  const { info } = useServerInfo();
  const identity = useIdentity();
  const { data } = useSnapshot("overview");
  return (realm) => {
    if (info === undefined) return "The server has not said yet what it allows";
    if (info.readOnly) return "This server is read-only";
    if (identity?.mayCommand === false) return `${identity.name} needs the role operator`;
    const owner = data?.realms.find(({ name }) => name === realm);
    return owner?.reachable === false ? `Realm ${realm} is unreachable` : undefined;
  };
}

/** The commands of the server at hand: an aggregator forwards, an agent takes them itself. */
export function useCommands(): Commands {
  const { agent, forwarded } = useServices();
  const { info } = useServerInfo();
  return info?.aggregator === true ? forwarded : agent;
}
