import { isIP, type Socket } from "node:net";
import { connect, type SecureContext, type TLSSocket } from "node:tls";
import { domainToASCII } from "node:url";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCodeOf } from "../../platform/network/describe-error.ts";

type TlsOptions = {
  /** Name or address that the certificate must contain. */
  readonly host: string;
  readonly roots: SecureContext;
  /** True when an untrusted certificate fails the handshake. */
  readonly verify: boolean;
  readonly protocols?: readonly string[];
};

/** Performs a TLS handshake on a connected socket. The error is a code. The caller must handle later socket errors. */
export function openTls(socket: Socket, options: TlsOptions, signal: AbortSignal): Promise<Result<TLSSocket, string>> {
  const { host, roots, verify, protocols } = options;
  return new Promise((resolve) => {
    const secure = connect({
      socket,
      host,
      servername: serverName(host),
      rejectUnauthorized: verify,
      secureContext: roots,
      ...(protocols === undefined ? {} : { ALPNProtocols: [...protocols] }),
    });
    const settle = (result: Result<TLSSocket, string>): void => {
      signal.removeEventListener("abort", abort);
      if (!result.ok) for (const end of [secure, socket]) end.on("error", () => {}).destroy();
      resolve(result);
    };
    const abort = (): void => settle(fail("ABORTED"));
    signal.addEventListener("abort", abort, { once: true });
    secure.once("error", (error) => settle(fail(errorCodeOf(error))));
    secure.once("close", () => settle(fail("ECONNRESET")));
    secure.once("secureConnect", () => settle(ok(secure)));
    if (signal.aborted) abort();
  });
}

/** Server name (SNI, RFC 6066): in ASCII and without the final dot, which many servers reject; empty for an address. */
function serverName(host: string): string {
  if (isIP(host) !== 0) return "";
  return (domainToASCII(host) || host).replace(/\.$/, "");
}
