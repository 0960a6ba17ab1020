import { ErrorCode, type Status } from "nats";

/** Formats an error of the connection. */
export function formatNatsError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = natsErrorCode(error);
  if (isRefusedLogin(code)) return refusedLogin(error.message);
  // The library waits for an answer although the server has refused the connection.
  if (code === ErrorCode.Timeout)
    return "NATS does not answer: it hangs, or a limit of connections (max_connections) is reached";
  return code === "" || error.message.includes(code) ? error.message : `${code}: ${error.message}`;
}

export const natsErrorCode = (error: unknown): string =>
  error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";

export const refusedLogin = (why: unknown): string => `NATS refuses the login: ${String(why)}`;

const refusedLoginCodes: ReadonlySet<unknown> = new Set([
  ErrorCode.AuthorizationViolation,
  ErrorCode.AuthenticationExpired,
  ErrorCode.AuthenticationTimeout,
  ErrorCode.AccountExpired,
]);
export const isRefusedLogin = (code: unknown): boolean => refusedLoginCodes.has(code);

export function formatStatusError(status: Status): string {
  const context = "permissionContext" in status ? status.permissionContext : undefined;
  return context ? `no permission: ${context.operation} ${context.subject}` : `server error ${String(status.data)}`;
}
