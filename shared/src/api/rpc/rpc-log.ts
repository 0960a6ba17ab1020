import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Log } from "../../platform/log/log.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";
import { callerOf } from "../access/caller.ts";

/** Codes of failures of the server, not of the request. */
const serverErrors = new Set([Code.Internal, Code.Unknown, Code.DataLoss]);

/**
 * Logs one line per call: a success at level `debug`, a refusal at `info`, a server error with its cause at `error`.
 * Request messages are not logged, because they contain passwords and documents.
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
    if (error === undefined) log.debug(line, "RPC succeeded");
    else if (serverErrors.has(error.code)) log.error({ ...line, err: error.cause ?? error }, "RPC failed");
    else log.info({ ...line, why: error.rawMessage }, "RPC refused");
  };
}
