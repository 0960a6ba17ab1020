import { ok, type Result } from "../model/result.ts";
import type { PageHandler } from "../platform/http/pages.ts";
import { openPortServer, type PortServer, type PortServerOptions } from "../platform/http/port-server.ts";
import { type DependencyStatus, metricsPage, type ObjectMetricsPage, readyPage, verdictPage } from "./probe-pages.ts";
import { openProgramCertificate, type ProgramCertificateOptions } from "./program-certificate.ts";
import type { ProgramFlags } from "./program-flags.ts";
import { defaultRpcLimit } from "./rpc/rpc-limits.ts";

export type ProgramPortsOptions = Pick<PortServerOptions, "allowedHosts"> &
  Omit<ProgramCertificateOptions, "flags"> & {
    readonly flags: Pick<
      ProgramFlags,
      "listen" | "trustedProxies" | "metricsListen" | "tlsCert" | "tlsKey" | "tlsClientCa"
    >;
    /** Metrics of single objects; undefined for a program that has no objects. */
    readonly objectMetrics?: ObjectMetricsPage | undefined;
    /** For `/healthz`: returns why the process does not work; undefined when it does. */
    readonly livenessError: () => string | undefined;
    /** For `/readyz`: returns the status of the program's dependencies. */
    readonly dependencies: () => readonly DependencyStatus[] | Promise<readonly DependencyStatus[]>;
    /** For `/activez` of a member of a pair: returns why it is not the active one; undefined when it is. */
    readonly inactiveReason?: (() => Promise<string | undefined>) | undefined;
    /** Pages that describe the program's API; default: none. */
    readonly description?: ReadonlyMap<string, PageHandler>;
    /** Dashboard, RPCs and uploads of `-listen`. Default: it serves pages only. */
    readonly services?: Pick<PortServerOptions, "uploads" | "isUnmounted" | "files" | "isAppRoute" | "rpc">;
  };

/** The port of a program, with that of its metrics where they have an address of their own. */
export type ProgramPorts = PortServer & {
  /** Reads the certificate of the port again, on SIGHUP. */
  reloadCertificate(): void;
};

/**
 * Opens `-listen` with the certificate that the flags name, and `-metrics-listen` where it is given: `/healthz` and
 * `/readyz` at both, `/metrics` and the description of the API at the second one only, which has no TLS.
 *
 * @returns the ports, or a one-line message when a port or the certificate cannot be opened
 */
export async function openProgramPorts(options: ProgramPortsOptions): Promise<Result<ProgramPorts, string>> {
  const { flags, clock, log, metrics, allowedHosts } = options;
  const certificate = await openProgramCertificate(options);
  if (!certificate.ok) return certificate;
  const { tls, status, reload, close } = certificate.value ?? {};
  const probes = new Map<string, PageHandler>([
    ["/healthz", verdictPage("ok", options.livenessError)],
    [
      "/readyz",
      readyPage(async () => [...(await options.dependencies()), ...(status === undefined ? [] : [status()])]),
    ],
    ...(options.inactiveReason === undefined
      ? []
      : [["/activez", verdictPage("active", options.inactiveReason)] as const]),
  ]);
  const all = new Map([
    ...probes,
    ["/metrics", metricsPage(metrics, clock, options.objectMetrics)],
    ...(options.description ?? []),
  ]);
  const common = {
    trustedProxies: flags.trustedProxies,
    allowedHosts,
    onFault: (error: unknown) => log.error({ err: error }, "page request failed"),
    files: new Map(),
    isAppRoute: () => false,
    rpc: { clock, mount: () => {}, limit: defaultRpcLimit },
  };
  const listen = flags.metricsListen;
  const own = listen && (await openPortServer({ ...common, listen, listenFlag: "-metrics-listen", pages: all }));
  if (own?.ok === false) {
    close?.();
    return own;
  }
  const main = await openPortServer({
    ...common,
    ...options.services,
    listen: flags.listen,
    tls,
    pages: own === undefined ? all : probes,
  });
  if (!main.ok) {
    close?.();
    await own?.value.close(0);
    return main;
  }
  if (own !== undefined) log.info({ address: own.value.url }, "metrics have an address of their own");
  return ok({
    ...main.value,
    reloadCertificate: () => void reload?.(),
    async close(graceMs) {
      close?.();
      await Promise.all([main.value.close(graceMs), own?.value.close(graceMs)]);
    },
  });
}
