const handshakeFailure = "the server declined the handshake: no common cipher, or it asks for a client's certificate";

/** The system's and TLS' error codes in words. */
const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: "connection refused",
  ECONNRESET: "connection reset",
  EPIPE: "connection closed",
  EHOSTUNREACH: "no route to host",
  ENETUNREACH: "network unreachable",
  EADDRNOTAVAIL: "no such address here",
  EINVAL: "no valid address",
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
  CERT_SIGNATURE_FAILURE: "a certificate's signature does not hold",
  CERT_REVOKED: "certificate has been revoked",
  CERT_CHAIN_TOO_LONG: "certificate chain too long",
  INVALID_CA: "certificate issued by what is no CA",
  PATH_LENGTH_EXCEEDED: "certificate issued too far from its root",
  INVALID_PURPOSE: "certificate is not for servers",
  // What Node has no name for; of OpenSSL's other reasons this is the one that is met.
  UNSPECIFIED: "certificate is not acceptable, its key or hash may be too weak",
  EPROTO: "TLS handshake failed",
  ERR_SSL_WRONG_VERSION_NUMBER: "no TLS spoken here",
  ERR_SSL_PACKET_LENGTH_TOO_LONG: "no TLS spoken here",
  ERR_SSL_UNSUPPORTED_PROTOCOL: "no common version of TLS",
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: "no common version of TLS",
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: handshakeFailure,
  "ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE": handshakeFailure,
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: "the server asks for a client's certificate",
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: "the server speaks no HTTP/1.1 over TLS",
  ERR_SSL_TLSV1_UNRECOGNIZED_NAME: "the server does not know this name",
  ERR_SSL_TLSV1_ALERT_INTERNAL_ERROR: "the server failed in the handshake",
  ERR_SSL_EXCESSIVE_MESSAGE_SIZE: "more certificates than are read",
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
