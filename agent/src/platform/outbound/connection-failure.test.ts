import assert from "node:assert/strict";
import { test } from "node:test";
import { classifyConnectionFailure, type LastingFailures } from "./connection-failure.ts";
import { type FailureReason, retry } from "./delivery-result.ts";

const lasting: LastingFailures = { kind: "rejected", denied: "denied", redirected: "refused" };
const withCode = (code: string): Error => Object.assign(new Error("at 192.0.2.1"), { code });

const rows: [failure: FailureReason, codes: string[]][] = [
  ["connect", ["ECONNREFUSED", "ECONNRESET", "EHOSTUNREACH", "UND_ERR_SOCKET", "HPE_INVALID_CONSTANT", "EMFILE"]],
  ["timeout", ["ETIMEDOUT", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_HEADERS_TIMEOUT"]],
  ["tls", ["EPROTO", "ETLS", "ERR_TLS_CERT_ALTNAME_INVALID", "ERR_SSL_WRONG_VERSION_NUMBER"]],
  ["tls", ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE"]],
  ["tls", ["CERT_HAS_EXPIRED", "CERT_NOT_YET_VALID", "CERT_REVOKED", "CERT_UNTRUSTED", "CERT_CHAIN_TOO_LONG"]],
  ["tls", ["DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"]],
  ["tls", ["CRL_HAS_EXPIRED", "ERROR_IN_CRL_NEXT_UPDATE_FIELD", "ERROR_IN_CERT_NOT_AFTER_FIELD"]],
  ["tls", ["INVALID_CA", "INVALID_PURPOSE", "PATH_LENGTH_EXCEEDED", "HOSTNAME_MISMATCH", "UNSPECIFIED"]],
];
for (const [failure, codes] of rows)
  for (const code of codes)
    test(`${code} is classified as ${failure} and retried`, () => {
      for (const error of [withCode(code), new TypeError("fetch failed", { cause: withCode(code) })]) {
        const attempt = classifyConnectionFailure(error, lasting);
        assert.ok(attempt.kind === "retry" && attempt.reason === failure, JSON.stringify(attempt));
        assert.ok(!JSON.stringify(attempt).includes("192.0.2.1"));
      }
    });

test("of several parallel attempts the one that reached TLS is reported", () => {
  const attempt = classifyConnectionFailure(
    new AggregateError([withCode("ECONNREFUSED"), withCode("INVALID_PURPOSE")]),
    lasting,
  );
  assert.deepEqual(attempt, retry("tls", "certificate is not valid for servers"));
});
