import type { DescMethodUnary, Message } from "@bufbuild/protobuf";
import { ConnectError, type HandlerContext } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Forwarder } from "../forward/forwarder.ts";
import { forwardedKey } from "./forwarded-key.ts";
import { withAuthor } from "./forwarding-service.ts";

type RealmRequest = {
  readonly method: DescMethodUnary;
  readonly message: Message;
  /** Number of objects of the realm by the aggregator's rows, for a realm that does not answer. */
  readonly known: number;
  /** Key of the call to all realms, of which each realm gets its own. */
  readonly key: string;
  readonly timeoutMs: number;
  readonly context: HandlerContext;
};

/** [FD30] Sends a command to one of several realms; the realm's refusal, or a missing answer, is a result too. */
export async function realmResult(forwarder: Forwarder, realm: string, request: RealmRequest) {
  const { method, message, known, key, timeoutMs, context } = request;
  const { identity, requestId } = callerOf(context);
  const result = await forwarder.forward(realm, {
    method,
    message: withAuthor(method, message, identity?.name),
    requestId,
    idempotencyKey: forwardedKey(context, `${key}:${realm}`),
    timeoutMs,
    signal: context.signal,
  });
  if (result.ok) {
    const { downtimeIds = [] } = result.value.message as { downtimeIds?: string[] };
    return { realm, matched: result.value.matched ?? known, code: "", message: "", downtimeIds };
  }
  const error = result.error instanceof ConnectError ? result.error : toConnectError(result.error);
  return { realm, matched: known, code: codeToString(error.code), message: error.rawMessage, downtimeIds: [] };
}
