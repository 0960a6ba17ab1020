import { type DependencyStatus, healthPage, metricsPage, readyPage } from "@realmwatch/shared/api/probe-pages";
import { defaultRpcLimit } from "@realmwatch/shared/api/rpc/rpc-limits";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import { allowedHosts } from "@realmwatch/shared/platform/http/host-header";
import { openPortServer, type PortServer } from "@realmwatch/shared/platform/http/port-server";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { AgentFlags } from "../flags.ts";

type WorkerServerOptions = {
  readonly flags: Pick<AgentFlags, "listen" | "trustedProxies" | "allowedHosts" | "publicUrl">;
  readonly clock: Clock;
  readonly log: Pick<Log, "error">;
  readonly metrics: Metrics;
  readonly dependencies: () => readonly DependencyStatus[];
};

/** Opens the port of a worker, with health, readiness and metrics, but without API and dashboard. */
export function openWorkerServer(options: WorkerServerOptions): Promise<Result<PortServer, string>> {
  const { flags, clock, log, metrics, dependencies } = options;
  return openPortServer({
    listen: flags.listen,
    trustedProxies: flags.trustedProxies,
    allowedHosts: allowedHosts(flags.allowedHosts, flags.publicUrl),
    files: new Map(),
    isAppRoute: () => false,
    pages: new Map([
      ["/healthz", healthPage(() => undefined)],
      ["/readyz", readyPage(dependencies)],
      ["/metrics", metricsPage(metrics)],
    ]),
    onFault: (error) => log.error({ err: error }, "page request failed"),
    rpc: { clock, mount: () => {}, limit: defaultRpcLimit },
  });
}
