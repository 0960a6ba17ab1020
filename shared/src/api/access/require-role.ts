import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { fail, ok, type Result } from "../../model/result.ts";
import { type Identity, type Role, roleCovers } from "../../model/role.ts";
import { rpcPeer } from "../../platform/rpc/server-call.ts";
import { callerKey } from "./caller.ts";

/** What a program was told about who may call it. */
export type AccessPolicy =
  /** Neither flag: whoever reaches the port may do everything that is mounted. */
  | { readonly kind: "open" }
  /** `-api-token`: commands need the one token. */
  | { readonly kind: "token"; readonly matches: (authorization: string | null) => boolean }
  /** `-auth-config`: everything needs an identity of the role. */
  | {
      readonly kind: "identities";
      readonly identify: (header: Headers) => Promise<Identity | undefined> | Identity | undefined;
    };

const neededRoles: ReadonlyMap<string, Role | "nobody"> = new Map<string, Role | "nobody">([
  [AuthService.typeName, "nobody"],
  [QueryService.typeName, "viewer"],
  [CommandService.typeName, "operator"],
  [RealmCommandService.typeName, "operator"],
  [RealmBulkService.typeName, "operator"],
  [AdminService.typeName, "admin"],
  [RealmAdminService.typeName, "admin"],
]);

/**
 * Decides whether a call may go on to the RPC. Asks nothing of its message, so that who may not call is turned away
 * before a byte of it is read.
 *
 * @returns the caller's identity, undefined where there is none and none is needed; else `unauthenticated` or
 *   `permission_denied`
 */
async function admit(
  access: AccessPolicy,
  service: string,
  header: Headers,
): Promise<Result<Identity | undefined, ConnectError>> {
  // A service that is not in the table is one that somebody forgot: it is nobody's but the admins'.
  const needed = neededRoles.get(service) ?? "admin";
  if (access.kind === "open") return ok(undefined);
  if (access.kind === "token") {
    const gated = needed !== "nobody" && needed !== "viewer";
    return !gated || access.matches(header.get("authorization")) ? ok(undefined) : fail(unauthenticated());
  }
  const identity = await access.identify(header);
  if (needed === "nobody") return ok(identity);
  if (identity === undefined) return fail(unauthenticated());
  if (roleCovers(identity.role, needed)) return ok(identity);
  return fail(
    new ConnectError(`${service} needs role ${needed}; ${identity.name} has ${identity.role}`, Code.PermissionDenied),
  );
}

const unauthenticated = (): ConnectError =>
  new ConnectError("credentials are missing or do not hold", Code.Unauthenticated, {
    "www-authenticate": 'Bearer realm="realmwatch"',
  });

/** What may stand in an id that the caller chose: enough for a UUID or a trace, nothing that breaks a line. */
const callerChosenId = /^[\w.:-]{1,64}$/;

/**
 * The door's gate: names the caller for the RPC and for logs, and lets it in or not. A request id in `x-request-id`
 * is kept where it is harmless, and answered in the same header.
 */
export function requireRole(access: AccessPolicy, mintId: () => string): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    const given = context.requestHeader.get("x-request-id") ?? "";
    const requestId = callerChosenId.test(given) ? given : mintId();
    const peer = rpcPeer(context.values);
    context.responseHeader.set("x-request-id", requestId);
    context.values.set(callerKey, { identity: undefined, peer, requestId });
    const admitted = await admit(access, context.service.typeName, context.requestHeader);
    if (!admitted.ok) throw admitted.error;
    context.values.set(callerKey, { identity: admitted.value, peer, requestId });
  };
}
