import type { DescMethod, Message } from "@bufbuild/protobuf";
import { Code, ConnectError, createContextKey, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { AuditLog, AuditOutcome, AuditRecord } from "../../model/audit.ts";
import type { Clock } from "../../model/clock.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";
import { cutText } from "../../text/cut-text.ts";
import { auditJson } from "./audit-json.ts";
import { type Caller, callerKey, callerOf } from "../access/caller.ts";

/** A call that is being audited, for whoever can keep its record together with what it does. */
export type AuditedRpc = {
  /** The record of the call as an accepted one, stamped now. */
  accepted(): AuditRecord;
  /** Set by whoever has kept it: nobody else keeps one then. */
  recorded: boolean;
};

const auditedCallKey = createContextKey<AuditedRpc | undefined>(undefined, { description: "audited call" });

/** Undefined where nothing audits. */
export const auditedRpcOf = (context: Pick<HandlerContext, "values">): AuditedRpc | undefined =>
  context.values.get(auditedCallKey);

/** Services of which every call is audited. */
const wholly = new Set([CommandService.typeName, RealmCommandService.typeName, RealmBulkService.typeName]);
/** Of other services these calls. */
const some = new Set<DescMethod>([
  AdminService.method.applyConfig,
  RealmAdminService.method.applyConfig,
  AuthService.method.login,
]);

const isAudited = (method: DescMethod): boolean => wholly.has(method.parent.typeName) || some.has(method);

export type RpcAuditor = {
  /** Keeps the record of each call that reached its implementation, an accepted one's before the call is answered. */
  readonly interceptor: Interceptor;
  /** Keeps the record of a call that ended before it. */
  recordCompleted(ended: CompletedRpc): void;
};

/**
 * Audits commands, changes of the configuration and logins: exactly one record each. What an implementation does goes
 * by how the implementation ends, also where its caller's deadline passed before.
 */
export function auditRpcs({ audit, clock }: { readonly audit: AuditLog; readonly clock: Clock }): RpcAuditor {
  return {
    interceptor: (next) => async (request) => {
      if (request.stream || !isAudited(request.method)) return next(request);
      const draft = recordOf(request.method, callerOf({ values: request.contextValues }), request.message);
      const call: AuditedRpc = { accepted: () => draft(clock.now(), "accepted"), recorded: false };
      request.contextValues.set(auditedCallKey, call);
      try {
        const answer = await next(request);
        if (!call.recorded) await audit.add(call.accepted());
        return answer;
      } catch (error) {
        const failure = ConnectError.from(error, Code.Internal);
        if (!call.recorded) void audit.add(draft(clock.now(), outcomeOf(failure.code), failure));
        throw error;
      }
    },
    recordCompleted({ context, error }) {
      if (error === undefined || !isAudited(context.method) || auditedRpcOf(context) !== undefined) return;
      const draft = recordOf(context.method, context.values.get(callerKey), undefined);
      void audit.add(draft(clock.now(), outcomeOf(error.code), error));
    },
  };
}

type Draft = (atMs: number, outcome: AuditOutcome, error?: ConnectError) => AuditRecord;

function recordOf(method: DescMethod, { identity, peer, requestId }: Caller, message: Message | undefined): Draft {
  const claimed = claimedAuthor(message);
  return (atMs, outcome, error) => ({
    atMs,
    source: "api",
    ...(identity && { principal: identity }),
    peer,
    rpc: `/${method.parent.typeName}/${method.name}`,
    commandJson: message === undefined ? "" : auditJson(method, message),
    outcome,
    requestId,
    onBehalfOf: identity !== undefined && claimed !== identity.name ? cutText(claimed, maxReason) : "",
    reason: error === undefined ? "" : cutText(error.rawMessage, maxReason),
    count: 1,
  });
}

/** Also of a request in the aggregator's wrapping. */
function claimedAuthor(message: Message | undefined): string {
  const { author, request } = (message ?? {}) as { author?: unknown; request?: { author?: unknown } };
  const said = author ?? request?.author;
  return typeof said === "string" ? said : "";
}

/** What a record keeps of an error's text, UTF-16 units. */
const maxReason = 1024;

function outcomeOf(code: Code): AuditOutcome {
  switch (code) {
    case Code.Unauthenticated:
    case Code.PermissionDenied:
      return "denied";
    case Code.InvalidArgument:
    case Code.NotFound:
    case Code.AlreadyExists:
    case Code.FailedPrecondition:
    case Code.OutOfRange:
    case Code.ResourceExhausted:
    case Code.Unimplemented:
      return "rejected";
    default:
      return "failed";
  }
}
