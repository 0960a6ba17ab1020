import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import { showDuration } from "@realmwatch/shared/text/duration";

/** A chain is short; a server that sends thousands is not followed further. */
const maxChain = 20;

/** The certificates that a server sent, in its order, its own first. */
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

/** The common name, else the serial number, quoted. */
export const certificateName = (certificate: X509Certificate): string =>
  JSON.stringify(/^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.serialNumber);

export const formatUtcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** When a certificate ends that has `leftMs` left: by days first, by hours and minutes later. */
export function describeExpiry(leftMs: number, at: Date): string {
  if (leftMs <= 0) return `expired on ${formatUtcDay(at)}`;
  if (leftMs >= 2 * 86_400_000) return `expires in ${Math.floor(leftMs / 86_400_000)} days, on ${formatUtcDay(at)}`;
  const wholeMs = leftMs < 60_000 ? 1_000 : 60_000;
  return `expires in ${showDuration(Math.floor(leftMs / wholeMs) * wholeMs)}`;
}
