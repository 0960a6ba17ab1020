import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { formatDuration } from "@realmwatch/shared/text/duration";

/** Maximum number of certificates that are examined. */
const maxChain = 20;

/** Certificates in the order in which the server sent them, its own first. */
export function receivedCertificates(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < maxChain && next !== chain.at(-1)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

export const firstToExpire = (chain: readonly X509Certificate[]): X509Certificate | undefined =>
  chain.reduce<X509Certificate | undefined>(
    (first, other) => (first === undefined || other.validToDate < first.validToDate ? other : first),
    undefined,
  );

/** Quoted common name of a certificate, or its serial number when it has none. */
export const certificateName = (certificate: X509Certificate): string =>
  JSON.stringify(/^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.serialNumber);

export const formatUtcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Describes the expiry of a certificate at `at`, in `leftMs`: in days, or in a shorter unit during the last two. */
export function describeExpiry(leftMs: number, at: Date): string {
  if (leftMs <= 0) return `expired on ${formatUtcDay(at)}`;
  if (leftMs >= 2 * 86_400_000) return `expires in ${Math.floor(leftMs / 86_400_000)} days, on ${formatUtcDay(at)}`;
  const wholeMs = leftMs < 60_000 ? 1_000 : 60_000;
  return `expires in ${formatDuration(Math.floor(leftMs / wholeMs) * wholeMs)}`;
}
