import type { DescMethod, Message } from "@bufbuild/protobuf";
import { Code, type ConnectError, createContextKey, type HandlerContext, type Interceptor } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { DocumentChange } from "../../config/diff/document-change.ts";
import type { AuditLog, AuditOutcome, AuditRecord } from "../../model/audit.ts";
import type { Clock } from "../../model/clock.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";
import { truncateText } from "../../text/truncate-text.ts";
import { type Caller, callerKey, callerOf } from "../access/caller.ts";
import { errorOfCall } from "../rpc/refusal-to-code.ts";
import { auditJson } from "./audit-json.ts";

/** An audited call in progress, for implementations that store the audit record together with the call's effects. */
type AuditedRpc = {
  /** Returns the record of the call with outcome `accepted` and the current time. */
  accepted(): AuditRecord;
  /** To be set by the implementation when it has stored the record, which prevents a second one. */
  recorded: boolean;
  /** Effect of an applied document, which the record has beside the request; set by the implementation. */
  change?: DocumentChange | undefined;
};

const auditedCallKey = createContextKey<AuditedRpc | undefined>(undefined, { description: "audited call" });

/** The audited call of a context; undefined when the call is not audited. */
export const auditedRpcOf = (context: Pick<HandlerContext, "values">): AuditedRpc | undefined =>
  context.values.get(auditedCallKey);

/** Services whose calls are all audited. */
const auditedServices = new Set([CommandService.typeName, RealmCommandService.typeName, RealmBulkService.typeName]);
/** Audited methods of other services. */
const auditedMethods = new Set<DescMethod>([
  AdminService.method.applyConfig,
  RealmAdminService.method.applyConfig,
  AuthService.method.login,
  PairService.method.switch,
  PairService.method.promote,
]);

const isAudited = (method: DescMethod): boolean =>
  auditedServices.has(method.parent.typeName) || auditedMethods.has(method);

type RpcAuditor = {
  /** Records each call that reached its implementation; for an accepted one before the response is sent. */
  readonly interceptor: Interceptor;
  /** Records a call that ended before it reached its implementation. */
  recordCompleted(ended: CompletedRpc): void;
};

/**
 * Audits commands, configuration changes, hand-overs of a pair and logins with exactly one record each. The outcome is that of the
 * implementation, even when the caller's deadline passed before it ended.
 */
export function auditRpcs({ audit, clock }: { readonly audit: AuditLog; readonly clock: Clock }): RpcAuditor {
  return {
    interceptor: (next) => async (request) => {
      if (request.stream || !isAudited(request.method)) return next(request);
      // A login has its identity only when it was accepted.
      const draft: Draft = (...outcome) =>
        recordOf(request.method, callerOf({ values: request.contextValues }), {
          message: request.message,
          change: call.change,
        })(...outcome);
      const call: AuditedRpc = { accepted: () => draft(clock.now(), "accepted"), recorded: false };
      request.contextValues.set(auditedCallKey, call);
      try {
        const answer = await next(request);
        if (!call.recorded) await audit.add(call.accepted());
        return answer;
      } catch (error) {
        const failure = errorOfCall(error);
        if (!call.recorded) void audit.add(draft(clock.now(), outcomeOf(failure.code), failure));
        throw error;
      }
    },
    recordCompleted({ context, error }) {
      if (error === undefined || !isAudited(context.method) || auditedRpcOf(context) !== undefined) return;
      const draft = recordOf(context.method, context.values.get(callerKey), {});
      void audit.add(draft(clock.now(), outcomeOf(error.code), error));
    },
  };
}

type Draft = (atMs: number, outcome: AuditOutcome, error?: ConnectError) => AuditRecord;

/** Request of a call and its effect; without a message the request was not read. */
type AuditedContent = { readonly message?: Message; readonly change?: DocumentChange | undefined };

function recordOf(
  method: DescMethod,
  { identity, peer, requestId }: Caller,
  { message, change }: AuditedContent,
): Draft {
  const claimed = claimedAuthor(message);
  return (atMs, outcome, error) => ({
    atMs,
    source: "api",
    ...(identity && { principal: identity }),
    peer,
    rpc: `/${method.parent.typeName}/${method.name}`,
    commandJson: message === undefined ? "" : withChange(auditJson(method, message), change),
    outcome,
    requestId,
    onBehalfOf: identity !== undefined && claimed !== identity.name ? truncateText(claimed, maxReason) : "",
    reason: error === undefined ? "" : truncateText(error.rawMessage, maxReason),
    count: 1,
  });
}

/** [AU12] The JSON of a request with the fields of its effect before its own. */
const withChange = (requestJson: string, change: DocumentChange | undefined): string =>
  change === undefined ? requestJson : JSON.stringify({ ...change, ...JSON.parse(requestJson) });

type WithAuthor = { author?: unknown; request?: { author?: unknown }; command?: { value?: { author?: unknown } } };

/** Author that the request claims, also within an aggregator's request to a realm or to many; empty for none. */
function claimedAuthor(message: Message | undefined): string {
  const { author, request, command } = (message ?? {}) as WithAuthor;
  const claimed = author ?? request?.author ?? command?.value?.author;
  return typeof claimed === "string" ? claimed : "";
}

/** Maximum length of an error message or author in a record, UTF-16 units. */
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
