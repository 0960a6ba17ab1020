import type { DescMethod } from "@bufbuild/protobuf";
import { Code, ConnectError, type HandlerContext } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { RealmAdminService, RealmBulkService, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import type { ResolvedCaller } from "../../identity/resolve-identity.ts";
import { sessionCookies } from "../../identity/session-cookie.ts";
import { type Identity, type Role, roleCovers } from "../../model/role.ts";
import { isHttpsRpc, rpcHosts, rpcPeer } from "../../platform/rpc/server-call.ts";
import { discoveryServices } from "../discovery/described-api.ts";
import { callerKey } from "./caller.ts";
import { isFromOtherOrigin } from "./same-origin.ts";

/** Access control that a program is configured with. */
export type AccessPolicy =
  /** Neither flag is set: every caller may use all mounted services. */
  | { readonly kind: "open" }
  /** `-api-token`: commands require the shared token. */
  | { readonly kind: "token"; readonly matches: (authorization: string | null) => boolean }
  /** `-auth-config`: every service requires an identity with the service's role. */
  | {
      readonly kind: "identities";
      readonly identify: (header: Headers) => Promise<ResolvedCaller> | ResolvedCaller;
      /** URL of the dashboard for users, which is an origin of its own where a reverse proxy serves it. */
      readonly publicUrl?: string | undefined;
    };

/** Required roles by service; `none`: the service is usable without an identity. */
const requiredRoles: ReadonlyMap<string, Role | "none"> = new Map<string, Role | "none">([
  [AuthService.typeName, "none"],
  ...discoveryServices.map(({ typeName }) => [typeName, "none"] as const),
  [QueryService.typeName, "viewer"],
  [PairService.typeName, "viewer"],
  [CommandService.typeName, "operator"],
  [RealmCommandService.typeName, "operator"],
  [RealmBulkService.typeName, "operator"],
  [AdminService.typeName, "admin"],
  [RealmAdminService.typeName, "admin"],
]);

/** Roles of methods that differ from their service's. The link of a pair proves the pair's secret by itself. */
const rolesOfMethods: ReadonlyMap<DescMethod, Role | "none"> = new Map<DescMethod, Role | "none">([
  [PairService.method.switch, "operator"],
  [PairService.method.promote, "admin"],
  [PairService.method.follow, "none"],
]);

/** The caller's identity, undefined for an unauthenticated caller, and the error that refuses the call. */
type Authorization = { readonly identity?: Identity | undefined; readonly error?: ConnectError };

/**
 * Authorizes a call from its headers only, so that an unauthorized call is refused before its message is read. The error
 * is `unauthenticated` or `permission_denied`.
 */
async function authorize(
  access: AccessPolicy,
  { service, method, requestHeader: header }: HandlerContext,
): Promise<Authorization> {
  // A service that is missing in the table requires the highest role.
  const required = rolesOfMethods.get(method) ?? requiredRoles.get(service.typeName) ?? "admin";
  if (access.kind === "open") return {};
  if (access.kind === "token") {
    const isPublic = required === "none" || required === "viewer";
    return isPublic || access.matches(header.get("authorization")) ? {} : { error: unauthenticated() };
  }
  const resolved = await access.identify(header);
  // Login and Logout work with any credentials; WhoAmI has to say what is wrong with them.
  if (!resolved.ok)
    return required === "none" && method !== AuthService.method.whoAmI
      ? {}
      : { error: unauthenticated(resolved.error) };
  const identity = resolved.value;
  if (required === "none") return { identity };
  if (identity === undefined) return { error: unauthenticated() };
  if (roleCovers(identity.role, required)) return { identity };
  const why = `${rolesOfMethods.has(method) ? `${service.typeName}/${method.name}` : service.typeName} requires role ${required}; ${identity.name} has ${identity.role}`;
  return { identity, error: new ConnectError(why, Code.PermissionDenied) };
}

/** Error of a call whose caller is not known. */
export const unauthenticated = (why = "credentials are missing or invalid"): ConnectError =>
  new ConnectError(why, Code.Unauthenticated, {
    "www-authenticate": 'Bearer realm="realmwatch"',
  });

/**
 * Refuses a call with a session's cookie, or to AuthService, that a browser sent for a page of another origin: the
 * browser adds the cookie by itself, so the user may know nothing of the call.
 */
function refuseOtherOrigins(access: AccessPolicy, { requestHeader, service, values }: HandlerContext): void {
  if (access.kind !== "identities") return;
  const isAtRisk = service.typeName === AuthService.typeName || sessionCookies(requestHeader.get("cookie")).length > 0;
  if (!isAtRisk) return;
  const request = { headers: requestHeader, hosts: rpcHosts(values), https: isHttpsRpc(values) };
  if (!isFromOtherOrigin(request, access.publicUrl)) return;
  throw new ConnectError("the call was made by a page of another origin", Code.PermissionDenied);
}

/** Characters allowed in a request id of the caller: those of UUIDs and trace ids, without line breaks. */
const callerChosenId = /^[\w.:-]{1,64}$/;

/**
 * Access control of the server: authenticates the caller for the RPC and the logs, and authorizes the call. A valid
 * request id in `x-request-id` is kept, else a new one is generated; the response has it in the same header.
 */
export function requireRole(
  access: AccessPolicy,
  generateId: () => string,
): (context: HandlerContext) => Promise<void> {
  return async (context) => {
    const given = context.requestHeader.get("x-request-id") ?? "";
    const requestId = callerChosenId.test(given) ? given : generateId();
    const peer = rpcPeer(context.values);
    context.responseHeader.set("x-request-id", requestId);
    context.values.set(callerKey, { identity: undefined, peer, requestId });
    refuseOtherOrigins(access, context);
    const { identity, error } = await authorize(access, context);
    // Also of a refused call: the audit record of a role that is too low names its identity.
    context.values.set(callerKey, { identity, peer, requestId });
    if (error !== undefined) throw error;
  };
}
