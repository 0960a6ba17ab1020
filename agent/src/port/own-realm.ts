import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";

/** Throws `not_found` when a request names another realm than the agent's own. An empty name means its own. */
export function refuseOtherRealm(own: string, requested: string): void {
  if (requested !== "" && requested !== own)
    throw toConnectError({ kind: "missing", what: `realm ${JSON.stringify(requested)}` });
}
