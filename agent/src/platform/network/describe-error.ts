const handshakeFailure = "the server declined the handshake: no common cipher, or it requires a client certificate";

/** Descriptions of error codes of the system, TLS and the HTTP parser. */
const descriptions: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "address not available on this machine",
  EINVAL: "invalid address",
  ETIMEDOUT: "connection timed out",
  EACCES: "not permitted",
  EPERM: "not permitted",
  EMFILE: "too many open files",
  ENFILE: "too many open files",
  ABORTED: "aborted",
  CERT_HAS_EXPIRED: "certificate has expired",
  CERT_NOT_YET_VALID: "certificate is not yet valid",
  DEPTH_ZERO_SELF_SIGNED_CERT: "self-signed certificate",
  SELF_SIGNED_CERT_IN_CHAIN: "self-signed certificate in the chain",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "certificate issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT: "certificate issuer is unknown",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "certificate issuer is unknown",
  ERR_TLS_CERT_ALTNAME_INVALID: "certificate is for another name",
  CERT_SIGNATURE_FAILURE: "certificate signature is invalid",
  CERT_REVOKED: "certificate has been revoked",
  CERT_CHAIN_TOO_LONG: "certificate chain too long",
  INVALID_CA: "certificate issuer is not a CA",
  PATH_LENGTH_EXCEEDED: "certificate chain exceeds the path length of its CA",
  INVALID_PURPOSE: "certificate is not valid for servers",
  // Node.js' name for all verification errors that it does not name; a weak key or hash is the usual one.
  UNSPECIFIED: "certificate is not acceptable, its key or hash may be too weak",
  EPROTO: "TLS handshake failed",
  ERR_SSL_WRONG_VERSION_NUMBER: "the server does not speak TLS",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "the server does not speak TLS",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "no common TLS version",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "no common TLS version",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: handshakeFailure,
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": handshakeFailure,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server requires a client certificate",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "the server does not offer HTTP/1.1 over TLS",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "the server does not know this name",
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: "the server reported an internal error in the handshake",
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: "certificate chain too large",
  HPE_HEADER_OVERFLOW: "headers larger than 16 KiB",
};

/** Describes an error code for people; a code without a description is returned unchanged. */
export function describeErrorCode(code: string): string {
  const known = Object.hasOwn(descriptions, code) ? descriptions[code] : undefined;
  if (known !== undefined) return known;
  return code.startsWith("HPE_") ? `the server does not speak HTTP (${code})` : code;
}

/** Describes any thrown value by its error code. */
export const describeError = (error: unknown): string => describeErrorCode(errorCodeOf(error));

/** The `code` of an error; its message when it has no code. */
export function errorCodeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
}
