import { getCACertificates } from "node:tls";

/** The authorities that Node.js trusts here, and more; `undefined` leaves them as they are. @param pem certificates */
export const trustedAuthorities = (pem: string | undefined): string[] | undefined =>
  pem === undefined ? undefined : [...getCACertificates(), pem];
