import { Code } from "@connectrpc/connect";
import { codeToString } from "@connectrpc/connect/protocol-connect";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";
import { sessionCookies } from "../../identity/session-cookie.ts";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";

/** Services whose calls are commands. */
const commandServices: ReadonlySet<string> = new Set([CommandService.typeName, RealmCommandService.typeName]);

/** Counts and times every call, including refused ones. Labels are names of the API and therefore bounded. */
export function countRpcs(metrics: Metrics): (ended: CompletedRpc) => void {
  const requests = metrics.counter({
    name: "rpc_requests_total",
    help: "RPCs completed, by code; `ok` for success.",
    labels: ["service", "method", "code"],
  });
  const durations = metrics.histogram({
    name: "rpc_duration_seconds",
    help: "Duration of RPCs, from the request headers to the end of the call.",
    labels: ["service", "method"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 120],
  });
  const commands = metrics.counter({
    name: "commands_total",
    help: "Commands received by the API, by RPC and code; `ok` for accepted ones.",
    labels: ["rpc", "code"],
  });
  const authFailures = metrics.counter({
    name: "auth_failures_total",
    help: "Calls without access, by reason.",
    labels: ["reason"],
  });
  for (const reason of authFailureReasons) authFailures.inc({ reason }, 0);
  const limited = metrics.counter({
    name: "login_rate_limited_total",
    help: "Logins whose password was not verified because too many had failed.",
  });
  return (completed) => {
    const { context, error, elapsedMs } = completed;
    const reason = authFailureOf(completed);
    if (reason !== undefined) authFailures.inc({ reason });
    if (isLogin(completed) && error?.code === Code.ResourceExhausted) limited.inc();
    const labels = { service: context.service.typeName, method: context.method.name };
    const code = error === undefined ? "ok" : codeToString(error.code);
    requests.inc({ ...labels, code });
    if (commandServices.has(labels.service)) commands.inc({ rpc: labels.method, code });
    durations.observe(labels, elapsedMs / 1_000);
  };
}

const authFailureReasons = ["missing", "invalid", "password", "permission"] as const;

const isLogin = ({ context: { service, method } }: CompletedRpc): boolean =>
  service.typeName === AuthService.typeName && method.name === AuthService.method.login.name;

/**
 * Reason why a call has no access. `missing`: it has no credentials; `invalid`: they are not valid; `password`: a login
 * with a wrong name or password; `permission`: the role is too low, or a page of another origin made the call.
 */
function authFailureOf(completed: CompletedRpc): (typeof authFailureReasons)[number] | undefined {
  const { context, error, handlerCalled } = completed;
  if (error === undefined) return undefined;
  if (handlerCalled) return isLogin(completed) && error.code === Code.Unauthenticated ? "password" : undefined;
  if (error.code === Code.PermissionDenied) return "permission";
  if (error.code !== Code.Unauthenticated) return undefined;
  const { requestHeader } = context;
  const hasCredentials = requestHeader.has("authorization") || sessionCookies(requestHeader.get("cookie")).length > 0;
  return hasCredentials ? "invalid" : "missing";
}
