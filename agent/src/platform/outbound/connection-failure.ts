import { OutboundDenied } from "@realmwatch/shared/platform/network/outbound-policy";
import { describeErrorCode } from "../network/describe-error.ts";
import { NameNotResolved } from "../network/name-lookup.ts";
import { type DeliveryFailure, type FailureReason, retry } from "./delivery-result.ts";

/**
 * A sender's result for failures that last until an operator changes an address or a flag. `denied` and `redirected`
 * are its reasons for an address that `-outbound-deny` has, and for a redirect.
 */
export type LastingFailures = {
  readonly kind: DeliveryFailure["kind"];
  readonly denied: FailureReason;
  readonly redirected: FailureReason;
};

export const lastingFailure = (
  kind: DeliveryFailure["kind"],
  reason: FailureReason,
  detail: string,
): DeliveryFailure => ({
  kind,
  reason,
  detail,
});

const resolveFailureTexts = {
  unknown_name: "its name does not exist",
  no_address: "its name has no address",
  server_failed: "the name server failed",
  timed_out: "the name server did not answer",
  aborted: "the name server did not answer",
} as const;

const codeTexts: Readonly<Record<string, string>> = {
  UND_ERR_SOCKET: "the connection was closed",
  UND_ERR_CONNECT_TIMEOUT: "no connection in time",
  ETLS: "TLS handshake failed",
};

/** Codes after which the receiver surely has nothing. */
const neverConnected: ReadonlySet<string> = new Set(["ECONNREFUSED", "UND_ERR_CONNECT_TIMEOUT"]);

const tlsCodePattern = /^(?:ERR_SSL_|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CRL_|ERROR_IN_C(?:ERT|RL)_)/;
/** Other TLS errors: OpenSSL's certificate errors as Node.js names them, and failed handshakes. */
const tlsCodes: ReadonlySet<string> = new Set([
  "EPROTO",
  "ETLS",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "PATH_LENGTH_EXCEEDED",
  "UNSPECIFIED",
]);

/** True for the code of an error of a TLS handshake or of a certificate. */
const isTlsErrorCode = (code: string): boolean => tlsCodePattern.test(code) || tlsCodes.has(code);

/** The error with its causes, those of parallel attempts included; inner causes precede. */
function errorCauses(error: unknown, depth = 0): unknown[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [...[error.cause, ...inner].flatMap((cause) => errorCauses(cause, depth + 1)), error];
}

/** Code of an error as a list; empty when the error does not have a valid code. */
function errorCodesIn(error: unknown): string[] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_/]{1,60}$/.test(code) ? [code] : [];
}

/**
 * Classifies a failure to connect. Uses error codes only: the messages of such errors contain addresses, which may be
 * secret.
 */
export function classifyConnectionFailure(error: unknown, { kind, denied }: LastingFailures): DeliveryFailure {
  const causes = errorCauses(error);
  const unresolved = causes.find((cause) => cause instanceof NameNotResolved)?.failure;
  if (unresolved === "denied" || causes.some((cause) => cause instanceof OutboundDenied))
    return lastingFailure(kind, denied, "connections to its address are denied by -outbound-deny");
  if (unresolved !== undefined) return retry("dns", resolveFailureTexts[unresolved]);
  const codes = causes.flatMap(errorCodesIn);
  const tls = codes.find(isTlsErrorCode);
  const code = tls ?? codes[0];
  if (code === undefined) return retry("connect", "the connection failed");
  const text = codeTexts[code] ?? describeErrorCode(code);
  // The server may have read the request before TLS failed; a certificate is verified before it is sent.
  if (tls?.startsWith("ERR_SSL")) return { ...retry("tls", text), mayHaveArrived: true };
  if (tls !== undefined) return retry("tls", text);
  if (/^(?:ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED)/.test(code))
    return lastingFailure(kind, "setup", "no such request can be made");
  const failure = retry(code === "ETIMEDOUT" || code.endsWith("_TIMEOUT") ? "timeout" : "connect", text);
  return neverConnected.has(code) ? { ...failure, mayHaveArrived: false } : failure;
}
