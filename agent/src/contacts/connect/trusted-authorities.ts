import { getCACertificates } from "node:tls";

/** Default authorities of Node.js with additional ones, PEM; undefined, for the defaults, when `pem` is undefined. */
export const trustedAuthorities = (pem: string | undefined): string[] | undefined =>
  pem === undefined ? undefined : [...getCACertificates(), pem];
