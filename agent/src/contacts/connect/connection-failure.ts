import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { type AttemptFailure, type AttemptResult, reject, retry } from "../attempt-result.ts";
import { NameNotResolved } from "./name-lookup.ts";

const resolveFailureTexts = {
  unknown_name: "its name does not exist",
  no_address: "its name has no address",
  server_failed: "the name server failed",
  timed_out: "the name server did not answer",
  aborted: "the name server did not answer",
} as const;

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
const isTls = (code: string): boolean => tlsCodePattern.test(code) || tlsCodes.has(code);

/**
 * Classifies a failure to connect. Uses error codes only: the messages of such errors contain addresses, which may be
 * secret.
 */
export function classifyConnectionFailure(error: unknown): AttemptResult {
  const causes = causesOf(error);
  const unknownName = causes.find((cause) => cause instanceof NameNotResolved);
  if (unknownName instanceof NameNotResolved) return retry("dns", resolveFailureTexts[unknownName.failure]);
  const codes = causes.flatMap(codeIn);
  const tls = codes.find(isTls);
  if (tls !== undefined) return retry("tls", formatCode(tls));
  const [code] = codes;
  if (code === undefined) return retry("connect", "the connection failed");
  if (/^(?:ERR_INVALID|UND_ERR_INVALID_ARG|UND_ERR_NOT_SUPPORTED)/.test(code))
    return reject("setup", "no such request can be made");
  return retry(failureOf(code), formatCode(code));
}

const failureOf = (code: string): AttemptFailure =>
  code === "ETIMEDOUT" || code.endsWith("_TIMEOUT") ? "timeout" : "connect";

function formatCode(code: string): string {
  switch (code) {
    case "UND_ERR_SOCKET":
      return "the connection was closed";
    case "UND_ERR_CONNECT_TIMEOUT":
      return "no connection in time";
    case "ETLS":
      return "TLS handshake failed";
    default:
      return describeErrorCode(code);
  }
}

/** The error with its causes, those of parallel attempts included; inner causes precede. */
function causesOf(error: unknown, depth = 0): unknown[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [...[error.cause, ...inner].flatMap((cause) => causesOf(cause, depth + 1)), error];
}

function codeIn(error: unknown): string[] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_/]{1,60}$/.test(code) ? [code] : [];
}
