import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { openProgramPorts, type ProgramPorts } from "@realmwatch/shared/api/program-ports";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Result } from "@realmwatch/shared/model/result";
import { allowedHosts } from "@realmwatch/shared/platform/http/host-header";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { AgentFlags } from "../flags.ts";

type WorkerServerOptions = {
  readonly flags: AgentFlags;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly dependencies: () => readonly DependencyStatus[];
};

/** Opens the port of a worker, with health, readiness and metrics, but without API and dashboard. */
export function openWorkerServer(options: WorkerServerOptions): Promise<Result<ProgramPorts, string>> {
  const { allowedHosts: names, publicUrl } = options.flags;
  return openProgramPorts({
    ...options,
    allowedHosts: allowedHosts(names, publicUrl),
    livenessError: () => undefined,
  });
}
