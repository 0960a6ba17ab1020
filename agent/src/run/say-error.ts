/** The system's and TLS' error codes in words. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "no such address here",
  ETIMEDOUT: "connection timed out",
  EACCES: "not permitted",
  EPERM: "not permitted",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ABORTED: "given up",
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate of an unknown issuer",
  UNABLE_TO_GET_ISSUER_CERT: "certificate of an unknown issuer",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate of an unknown issuer",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate of another name",
  EPROTO: "TLS handshake failed",
  ERR_SSL_WRONG_VERSION_NUMBER: "no TLS spoken here",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no TLS spoken here",
  HPE_HEADER_OVERFLOW: "headers beyond 16 KiB",
};

/** What a code means, for people; a code without words says itself. */
export function sayCode(code: string): string {
  const known = Object.hasOwn(words, code) ? words[code] : undefined;
  if (known !== undefined) return known;
  return code.startsWith("HPE_") ? `no HTTP spoken here (${code})` : code;
}

/** `sayCode` of an error that may be anything. */
export const sayError = (error: unknown): string => sayCode(codeOf(error));

/** The `code` of an error; its message where it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
