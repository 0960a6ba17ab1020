import { createSecureContext, getCACertificates, type SecureContext } from "node:tls";

/** Returns the TLS context of all handshakes: Node.js' root certificates and those of `NODE_EXTRA_CA_CERTS`. */
export type TrustedRoots = () => SecureContext;

/** Loads the roots once, at the first handshake: loading them for each would add a third to its cost. */
export function openTrustedRoots(): TrustedRoots {
  let roots: SecureContext | undefined;
  return () => {
    roots ??= createSecureContext();
    return roots;
  };
}

/** Authorities of Node.js with additional ones, PEM; undefined, for the defaults, when `pem` is undefined. */
export const trustedAuthorities = (pem: string | undefined): string[] | undefined =>
  pem === undefined ? undefined : [...getCACertificates(), pem];
