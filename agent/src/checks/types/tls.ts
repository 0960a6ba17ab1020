import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { TlsSpec } from "@realmwatch/shared/config/check-kinds/tls";
import { type Outcome, outcome } from "@realmwatch/shared/model/outcome";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { fail, type Result } from "@realmwatch/shared/model/result";
import { formatDuration } from "@realmwatch/shared/text/duration";
import { describeErrorCode, errorCodeOf } from "../../platform/network/describe-error.ts";
import type { ActiveCheckType, CheckDependencies } from "../check-type.ts";
import { connectHost, formatHostPort } from "../connect/connect-host.ts";
import { openTls } from "../connect/open-tls.ts";
import { startTls } from "../connect/start-tls.ts";

/** [NC4] Performs a handshake, verifies chain and name, and judges the earliest expiry of all sent certificates. */
export const tlsCheckType: ActiveCheckType<TlsSpec> = {
  type: "tls",
  onTimeout: "critical",
  async run(spec, _context, dependencies, signal) {
    const secured = await shakeHands(spec, dependencies, signal);
    if (!secured.ok) return outcome("critical", secured.error);
    const socket = secured.value;
    socket.on("error", () => {});
    const found = judge(socket, spec, dependencies.clock.now());
    socket.destroy();
    return found;
  },
};

async function shakeHands(
  spec: TlsSpec,
  dependencies: CheckDependencies,
  signal: AbortSignal,
): Promise<Result<TLSSocket, string>> {
  const connected = await connectHost(spec, dependencies, signal);
  if (!connected.ok) return connected;
  const { socket } = connected.value;
  if (spec.startTls !== undefined) {
    socket.on("error", () => {}); // The dialog handles the "close" event that follows.
    const started = await startTls(socket, spec.startTls, signal);
    if (!started.ok) {
      socket.destroy();
      return fail(`${spec.startTls} at ${formatHostPort(spec)}: ${started.error}`);
    }
  }
  // Verified afterwards, so that the expiry of an untrusted certificate is judged as well.
  const secured = await openTls(socket, { host: spec.host, roots: dependencies.trustedRoots(), verify: false }, signal);
  return secured.ok ? secured : fail(`TLS with ${formatHostPort(spec)}: ${describeErrorCode(secured.error)}`);
}

function judge(socket: TLSSocket, spec: TlsSpec, nowMs: number): Outcome {
  const at = formatHostPort(spec);
  const sent = receivedCertificates(socket);
  const first = firstToExpire(sent);
  if (first === undefined) return outcome("critical", `${at} sent no certificate`);
  const leftMs = first.validToDate.getTime() - nowMs;
  const perfdata = [
    {
      ...perfPoint("expires_in", Math.floor(leftMs / 1_000), "s"),
      warn: `${spec.warnWithinMs / 1_000}:`,
      crit: `${spec.critWithinMs / 1_000}:`,
    },
  ];
  const expiry = `certificate ${whichOf(first, sent)} of ${at} ${describeExpiry(leftMs, first.validToDate)}`;
  if (leftMs <= 0) return outcome("critical", expiry, perfdata);
  const early = sent.find(({ validFromDate }) => validFromDate.getTime() > nowMs);
  if (early !== undefined) {
    const since = formatUtcDay(early.validFromDate);
    return outcome("critical", `certificate ${whichOf(early, sent)} of ${at} is not valid before ${since}`, perfdata);
  }
  if (!socket.authorized) {
    const distrust = describeErrorCode(errorCodeOf(socket.authorizationError)); // Error of the chain or of the name.
    return outcome("critical", `${at}: ${distrust}`, perfdata);
  }
  const status = leftMs <= spec.critWithinMs ? "critical" : leftMs <= spec.warnWithinMs ? "warning" : "ok";
  return outcome(status, expiry, perfdata);
}

/** Name of a certificate, with its position unless it is the server's own. */
function whichOf(certificate: X509Certificate, sent: readonly X509Certificate[]): string {
  const index = sent.indexOf(certificate);
  return index === 0
    ? certificateName(certificate)
    : `${certificateName(certificate)}, number ${index + 1} in the chain`;
}

/** Maximum number of certificates that are examined. */
const maxChain = 20;

/** Certificates in the order in which the server sent them, its own first. */
function receivedCertificates(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < maxChain && next !== chain.at(-1)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

const firstToExpire = (chain: readonly X509Certificate[]): X509Certificate | undefined =>
  chain.reduce<X509Certificate | undefined>(
    (first, other) => (first === undefined || other.validToDate < first.validToDate ? other : first),
    undefined,
  );

/** Quoted common name of a certificate, or its serial number when it has none. */
const certificateName = (certificate: X509Certificate): string =>
  JSON.stringify(/^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.serialNumber);

const formatUtcDay = (at: Date): string => at.toISOString().slice(0, 10);

/** Describes the expiry of a certificate at `at`, in `leftMs`: in days, or in a shorter unit during the last two. */
function describeExpiry(leftMs: number, at: Date): string {
  if (leftMs <= 0) return `expired on ${formatUtcDay(at)}`;
  if (leftMs >= 2 * 86_400_000) return `expires in ${Math.floor(leftMs / 86_400_000)} days, on ${formatUtcDay(at)}`;
  const wholeMs = leftMs < 60_000 ? 1_000 : 60_000;
  return `expires in ${formatDuration(Math.floor(leftMs / wholeMs) * wholeMs)}`;
}
