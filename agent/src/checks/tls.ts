import type { X509Certificate } from "node:crypto";
import type { TLSSocket } from "node:tls";
import type { TlsSpec } from "@realmwatch/shared/config/check-spec";
import { showDuration } from "@realmwatch/shared/text/duration";
import { type Outcome, outcome } from "@realmwatch/shared/words/outcome";
import { perfPoint } from "@realmwatch/shared/words/perfdata";
import { codeOf, sayCode } from "../run/say-error.ts";
import type { ActiveCheckType } from "./check-type.ts";
import { connectHost, showHostPort } from "./connect-host.ts";
import { openTls } from "./open-tls.ts";

/** A chain is short; a server that sends thousands is not followed further. */
const maxChain = 20;

/** Shakes hands, verifies chain and name, and looks when the first certificate of the chain expires. */
export const tls: ActiveCheckType<TlsSpec> = {
  type: "tls",
  onTimeout: "critical",
  async run(spec, _context, tools, signal) {
    const connected = await connectHost(spec, tools, signal);
    if (!connected.ok) return outcome("critical", connected.error);
    // Verified afterwards, so that the output can also tell when a distrusted certificate expires.
    const secured = await openTls(connected.value.socket, { host: spec.host, verify: false }, signal);
    if (!secured.ok) return outcome("critical", `TLS with ${showHostPort(spec)}: ${sayCode(secured.error)}`);
    const socket = secured.value;
    socket.on("error", () => {});
    const found = judge(socket, spec, tools.clock.now());
    socket.destroy();
    return found;
  },
};

function judge(socket: TLSSocket, spec: TlsSpec, nowMs: number): Outcome {
  const first = chainOf(socket).reduce<X509Certificate | undefined>(earlier, undefined);
  if (first === undefined) return outcome("critical", `${showHostPort(spec)} sent no certificate`);
  const leftMs = first.validToDate.getTime() - nowMs;
  const perfdata = [
    {
      ...perfPoint("expires_in", Math.floor(leftMs / 1_000), "s"),
      warn: `${spec.warnWithinMs / 1_000}:`,
      crit: `${spec.critWithinMs / 1_000}:`,
    },
  ];
  if (!socket.authorized) {
    const distrust = sayCode(codeOf(socket.authorizationError)); // Of the chain or of the name.
    return outcome("critical", `${showHostPort(spec)}: ${distrust}`, perfdata);
  }
  const status = leftMs <= spec.critWithinMs ? "critical" : leftMs <= spec.warnWithinMs ? "warning" : "ok";
  const output = `certificate ${nameOf(first)} of ${showHostPort(spec)} ${sayExpiry(leftMs, first.validToDate)}`;
  return outcome(status, output, perfdata);
}

function chainOf(socket: TLSSocket): X509Certificate[] {
  const chain: X509Certificate[] = [];
  let next = socket.getPeerX509Certificate();
  while (next !== undefined && chain.length < maxChain && next !== chain.at(-1)) {
    chain.push(next);
    next = next.issuerCertificate;
  }
  return chain;
}

const earlier = (first: X509Certificate | undefined, other: X509Certificate): X509Certificate =>
  first === undefined || other.validToDate < first.validToDate ? other : first;

const nameOf = (certificate: X509Certificate): string =>
  JSON.stringify(/^CN=(.*)$/m.exec(certificate.subject)?.[1] ?? certificate.serialNumber);

function sayExpiry(leftMs: number, at: Date): string {
  const date = at.toISOString().slice(0, 10);
  if (leftMs <= 0) return `expired on ${date}`;
  const wholeMs = leftMs < 60_000 ? 1_000 : 60_000;
  const left = showDuration(Math.floor(leftMs / wholeMs) * wholeMs);
  return leftMs >= 2 * 86_400_000
    ? `expires in ${Math.floor(leftMs / 86_400_000)} days, on ${date}`
    : `expires in ${left}`;
}
