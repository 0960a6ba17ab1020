import type { Message } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { callerOf } from "@realmwatch/shared/api/access/caller";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { AnyCommandKind, AnyCommandMethod } from "@realmwatch/shared/commands/command-kind";
import { commandKinds } from "@realmwatch/shared/commands/commands";
import type { Author } from "@realmwatch/shared/model/author";
import { forwardedByHeader, matchedObjectsHeader } from "@realmwatch/shared/model/idempotency-key";
import { passRpc } from "@realmwatch/shared/platform/rpc/server-call";
import { keyedCallOf } from "./keyed-call.ts";
import { outcomeOrThrow, timeLeftOf } from "./outcome-of-call.ts";
import type { EngineChannel } from "./port-contract.ts";

/** CommandService. A success means that the command is on disk and in the engine's queue. */
export function commandService(engine: EngineChannel): ServiceImpl<typeof CommandService> {
  const handlers = Object.values(commandKinds).map((kind) => [kind.method, handler(kind as never, engine)]);
  // The map has an entry for each method.
  return Object.fromEntries(handlers) as ServiceImpl<typeof CommandService>;
}

function handler(kind: AnyCommandKind, engine: EngineChannel) {
  const method = CommandService.method[kind.method] as AnyCommandMethod;
  return async (request: Message, context: HandlerContext): Promise<object> => {
    const executed = engine.request("executeCommand", {
      method: kind.method,
      request,
      by: authorOf(request, context),
      key: keyedCallOf({ method, request, context }),
      isForwarded: context.requestHeader.has(forwardedByHeader),
      audit: auditedRpcOf(context)?.accepted(),
      timeoutMs: timeLeftOf(context),
    });
    passRpc(context.values);
    const answer = outcomeOrThrow(await executed, context);
    if (answer.kind === "refused") throw toConnectError(answer.refusal);
    context.responseHeader.set(matchedObjectsHeader, String(answer.matched));
    return kind.response?.(answer.ids) ?? {};
  };
}

/** Author to record: the authenticated identity, with the author that the request claims as "on behalf of". */
function authorOf(request: Message, context: HandlerContext): Author {
  const { author } = request as { author?: unknown };
  const claimed = typeof author === "string" ? author : "";
  const { identity } = callerOf(context);
  if (identity === undefined) return { author: claimed, onBehalfOf: "" };
  return { author: identity.name, onBehalfOf: claimed === identity.name ? "" : claimed };
}
