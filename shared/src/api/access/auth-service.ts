import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import type { PasswordLogins } from "../../identity/password-logins.ts";
import { sessionCookies } from "../../identity/session-cookie.ts";
import type { Sessions } from "../../identity/sessions.ts";
import { isHttpsRpc } from "../../platform/rpc/server-call.ts";
import { roleCodec } from "../../wire/fields/enums.ts";
import { callerKey, callerOf } from "./caller.ts";

export type AuthServiceOptions = {
  readonly logins: Pick<PasswordLogins, "attempt">;
  readonly sessions: Pick<Sessions, "begin" | "end">;
};

/** AuthService of agent and aggregator. */
export const authService = ({ logins, sessions }: AuthServiceOptions): ServiceImpl<typeof AuthService> => ({
  async login({ user, password }, context) {
    // A login is recorded under the name that it proves, not under that of an earlier session.
    const caller = { ...callerOf(context), identity: undefined };
    context.values.set(callerKey, caller);
    const outcome = await logins.attempt({ user, password, peer: caller.peer });
    if (outcome.kind === "limited") throw tooManyLogins(outcome.retryAfterMs);
    if (outcome.kind === "refused") throw new ConnectError("wrong name or password", Code.Unauthenticated);
    const { name, role } = outcome.identity;
    context.responseHeader.append("set-cookie", await sessions.begin(name, { https: isHttpsRpc(context.values) }));
    context.values.set(callerKey, { ...caller, identity: outcome.identity });
    return { name, role: roleCodec.toProto(role) };
  },
  async logout(_request, { requestHeader, responseHeader, values }) {
    const cookies = sessionCookies(requestHeader.get("cookie"));
    responseHeader.append("set-cookie", await sessions.end(cookies, { https: isHttpsRpc(values) }));
    return {};
  },
  whoAmI(_request, context) {
    const { identity } = callerOf(context);
    if (identity === undefined) throw new ConnectError("no valid credentials", Code.Unauthenticated);
    return { name: identity.name, role: roleCodec.toProto(identity.role) };
  },
});

function tooManyLogins(retryAfterMs: number): ConnectError {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  return new ConnectError(`too many failed logins: try again in ${seconds} s`, Code.ResourceExhausted, {
    "retry-after": String(seconds),
  });
}
