import { OutboundDenied } from "@realmwatch/shared/platform/network/outbound-policy";
import { describeErrorCode } from "../../platform/network/describe-error.ts";
import { errorCauses, errorCodesIn, isTlsErrorCode } from "../../platform/network/error-causes.ts";
import { NameNotResolved } from "../../platform/network/name-lookup.ts";
import { type AttemptFailure, type AttemptResult, reject, retry } from "../attempt-result.ts";

const resolveFailureTexts = {
  unknown_name: "its name does not exist",
  no_address: "its name has no address",
  server_failed: "the name server failed",
  timed_out: "the name server did not answer",
  aborted: "the name server did not answer",
  denied: "connections to its address are denied by -outbound-deny",
} as const;

/**
 * Classifies a failure to connect. Uses error codes only: the messages of such errors contain addresses, which may be
 * secret.
 */
export function classifyConnectionFailure(error: unknown): AttemptResult {
  const causes = errorCauses(error);
  const unknownName = causes.find((cause) => cause instanceof NameNotResolved);
  if (causes.some((cause) => cause instanceof OutboundDenied)) return reject("setup", resolveFailureTexts.denied);
  if (unknownName instanceof NameNotResolved && unknownName.failure === "denied")
    return reject("setup", resolveFailureTexts.denied);
  if (unknownName instanceof NameNotResolved) return retry("dns", resolveFailureTexts[unknownName.failure]);
  const codes = causes.flatMap(errorCodesIn);
  const tls = codes.find(isTlsErrorCode);
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
