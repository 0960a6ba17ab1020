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
export const isTlsErrorCode = (code: string): boolean => tlsCodePattern.test(code) || tlsCodes.has(code);

/** The error with its causes, those of parallel attempts included; inner causes precede. */
export function errorCauses(error: unknown, depth = 0): unknown[] {
  if (!(error instanceof Error) || depth > 4) return [];
  const inner = error instanceof AggregateError ? error.errors : [];
  return [...[error.cause, ...inner].flatMap((cause) => errorCauses(cause, depth + 1)), error];
}

/** Code of an error as a list; empty when the error does not have a valid code. */
export function errorCodesIn(error: unknown): string[] {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  return typeof code === "string" && /^[A-Z][A-Z0-9_/]{1,60}$/.test(code) ? [code] : [];
}
