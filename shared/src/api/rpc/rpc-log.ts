import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Log } from "../../platform/log/log.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";
import { callerOf } from "../access/caller.ts";

/** Codes that say that something is wrong with us and not with the request. */
const ours = new Set([Code.Internal, Code.Unknown, Code.DataLoss]);

/**
 * One line a call. A success is `debug`, a refusal `info`, a failure of ours `error` with its cause. Messages of the
 * request are not logged: they hold passwords and documents.
 */
export function logRpcs(log: Log): (ended: CompletedRpc) => void {
  return ({ context, error, elapsedMs }) => {
    if (error === undefined && !log.isLevelEnabled("debug")) return;
    const { identity, peer, requestId } = callerOf(context);
    const line = {
      rpc: `${context.service.typeName}/${context.method.name}`,
      code: error === undefined ? "ok" : codeToString(error.code),
      dur_ms: Math.round(elapsedMs * 10) / 10,
      peer,
      request_id: requestId,
      ...(identity === undefined ? {} : { principal: identity.name }),
    };
    if (error === undefined) log.debug(line, "call");
    else if (ours.has(error.code)) log.error({ ...line, err: error.cause ?? error }, "call failed");
    else log.info({ ...line, why: error.rawMessage }, "call refused");
  };
}
