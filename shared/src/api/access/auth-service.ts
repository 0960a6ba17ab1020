import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { Role as RoleCode } from "@realmwatch/proto/svc/v1/common_pb";
import type { Role } from "../../model/role.ts";
import { callerOf } from "./caller.ts";

const roleCodes: Readonly<Record<Role, RoleCode>> = {
  viewer: RoleCode.VIEWER,
  operator: RoleCode.OPERATOR,
  admin: RoleCode.ADMIN,
};

/**
 * AuthService for identities that send their token with each call. Sessions are not supported: no cookie is ever set.
 */
export const authService: ServiceImpl<typeof AuthService> = {
  login: () => {
    throw noSessions();
  },
  logout: () => {
    throw noSessions();
  },
  whoAmI(_request, context) {
    const { identity } = callerOf(context);
    if (identity === undefined) throw new ConnectError("no valid credentials", Code.Unauthenticated);
    return { name: identity.name, role: roleCodes[identity.role] };
  },
};

const noSessions = (): ConnectError =>
  new ConnectError("login is not supported; send a token with each call", Code.Unimplemented);
