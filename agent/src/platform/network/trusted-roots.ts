import { createSecureContext, type SecureContext } from "node:tls";

/** The usual roots (Node's and those of `NODE_EXTRA_CA_CERTS`), for every handshake. */
export type TrustedRoots = () => SecureContext;

/** Reads the roots with the first handshake and once: doing so for each costs a third of one. */
export function openTrustedRoots(): TrustedRoots {
  let roots: SecureContext | undefined;
  return () => {
    roots ??= createSecureContext();
    return roots;
  };
}
