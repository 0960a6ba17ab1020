import { useIdentity, useServerInfo } from "../api/server/server-info.ts";
import type { NavAccess } from "./nav-links.ts";

/** Pages that the connected server has and the user may use; those of administrators only with an identity of that role. */
export function useNavAccess(): NavAccess {
  const { info } = useServerInfo();
  const identity = useIdentity();
  return {
    aggregator: info?.aggregator === true,
    admin: identity?.mayAdminister === true && info?.readOnly !== true,
  };
}
