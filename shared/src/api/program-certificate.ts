import type { Clock } from "../model/clock.ts";
import { ok } from "../model/result.ts";
import type { Log } from "../platform/log/log.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";
import { openServerCertificate } from "../platform/tls/server-certificate.ts";
import type { DependencyStatus } from "./probe-pages.ts";
import type { ProgramFlags } from "./program-flags.ts";

export type ProgramCertificateOptions = {
  readonly flags: Pick<ProgramFlags, "tlsCert" | "tlsKey" | "tlsClientCa">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

/** Opens the certificate that the flags name, with its metrics; undefined without the flags. Fails with a sentence. */
export async function openProgramCertificate({ flags, clock, log, metrics }: ProgramCertificateOptions) {
  const { tlsCert, tlsKey, tlsClientCa } = flags;
  if (tlsCert === undefined || tlsKey === undefined) return ok(undefined);
  const files = { cert: tlsCert, key: tlsKey, clientCa: tlsClientCa };
  const opened = await openServerCertificate({ files, clock, log });
  if (!opened.ok) return opened;
  const { current, notAfterMs, error, reload, close } = opened.value;
  const failures = metrics.counter({ name: "tls_handshake_failures_total", help: "TLS handshakes that failed." });
  metrics.observableGauges({
    tls_certificate_not_after_timestamp_seconds: [
      "Unix time at which the port's certificate, or an intermediate one sent with it, expires.",
      () => notAfterMs() / 1_000,
    ],
    tls_certificate_last_reload_successful: [
      "1 while the certificate in use is that of the files, 0 when the files as they are now were refused.",
      () => Number(error() === ""),
    ],
  });
  return ok({
    tls: {
      current,
      onFailed(peer: string, reason: string) {
        failures.inc();
        log.debug({ peer, reason }, "TLS handshake failed");
      },
    },
    /** Status for `/readyz`. */
    status(): DependencyStatus {
      const isExpired = notAfterMs() <= clock.now();
      const validity = `${isExpired ? "expired" : "expires"} at ${new Date(notAfterMs()).toISOString()}`;
      const detail = error() === "" ? validity : `${error()}; the previous one stays in use and ${validity}`;
      return { name: "tls_certificate", ok: error() === "" && !isExpired, needed: false, detail };
    },
    reload,
    close,
  });
}
