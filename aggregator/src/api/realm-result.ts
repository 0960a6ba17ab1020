import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Forwarder } from "../forward/forwarder.ts";
import { type CallForCaller, forwardForCaller } from "./forward-for-caller.ts";

type RealmRequest = CallForCaller & {
  /** Key of the call to all realms, of which each realm gets its own. */
  readonly key: string;
  /** Number of objects of the realm by the aggregator's rows, for a realm that does not answer. */
  readonly known: number;
};

/** [FD30] Sends a command to one of several realms; the realm's refusal, or a missing answer, is a result too. */
export async function realmResult(forwarder: Forwarder, realm: string, { known, ...call }: RealmRequest) {
  const result = await forwardForCaller(forwarder, realm, { ...call, key: `${call.key}:${realm}` });
  if (result.ok) {
    const { downtimeIds = [] } = result.value.message as { downtimeIds?: string[] };
    return { realm, matched: result.value.matched ?? known, code: "", message: "", downtimeIds };
  }
  const { code, rawMessage: message } = result.error;
  return { realm, matched: known, code: codeToString(code), message, downtimeIds: [] };
}
