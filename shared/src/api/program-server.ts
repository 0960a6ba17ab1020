import type { ConnectRouter } from "@connectrpc/connect";
import type { AuthPlan } from "../identity/auth-document.ts";
import { bearerMatcher } from "../identity/bearer-token.ts";
import { identityResolver } from "../identity/resolve-identity.ts";
import type { AuditLog } from "../model/audit.ts";
import type { Clock } from "../model/clock.ts";
import type { Result } from "../model/result.ts";
import { openPortServer, type PortServer } from "../platform/http/port-server.ts";
import { loadStaticFiles } from "../platform/http/static-files.ts";
import { idGenerator } from "../platform/id-generator.ts";
import type { Log } from "../platform/log/log.ts";
import type { Metrics } from "../platform/metrics/metrics.ts";
import { type AccessPolicy, requireRole } from "./access/require-role.ts";
import { auditRpcs } from "./audit/audit-rpcs.ts";
import { isDashboardRoute } from "./dashboard-routes.ts";
import { type DependencyStatus, healthPage, metricsPage, readyPage } from "./probe-pages.ts";
import type { ProgramFlags } from "./program-flags.ts";
import { defaultRpcLimit, rpcLimits } from "./rpc/rpc-limits.ts";
import { logRpcs } from "./rpc/rpc-log.ts";
import { countRpcs } from "./rpc/rpc-metrics.ts";

export type ProgramServerOptions = {
  readonly flags: Pick<ProgramFlags, "listen" | "apiToken" | "trustedProxies">;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Compiled auth document; undefined when none is configured. */
  readonly auth: AuthPlan | undefined;
  /** Destination of audit records of calls; undefined disables auditing. */
  readonly audit?: AuditLog | undefined;
  /** Registers the services. */
  readonly mount: (router: ConnectRouter) => void;
  /** Folder of the built dashboard. */
  readonly dashboardDir: string;
  /** For `/healthz`: returns why the process does not work; undefined when it does. */
  readonly livenessError: () => string | undefined;
  /** For `/readyz`: returns the status of the program's dependencies. */
  readonly dependencies: () => readonly DependencyStatus[] | Promise<readonly DependencyStatus[]>;
};

/** Access policy that follows from the auth document and the token. */
function accessOf(auth: AuthPlan | undefined, apiToken: ProgramFlags["apiToken"]): AccessPolicy {
  if (auth !== undefined) {
    const identify = identityResolver(auth);
    return { kind: "identities", identify: (header) => identify(header.get("authorization")) };
  }
  return apiToken === undefined ? { kind: "open" } : { kind: "token", matches: bearerMatcher(apiToken) };
}

/**
 * Opens a program's port with the parts that agent and aggregator share: access control, limits, logs and metrics of
 * calls, the probes, `/metrics` and the dashboard's files.
 *
 * @returns the server, or a one-line message when the port cannot be opened
 */
export async function openProgramServer(options: ProgramServerOptions): Promise<Result<PortServer, string>> {
  const { flags, clock, log, metrics, auth } = options;
  const files = await loadStaticFiles(options.dashboardDir);
  if (!files.ok) return files;
  const audited = options.audit && auditRpcs({ audit: options.audit, clock });
  const [count, write] = [countRpcs(metrics), logRpcs(log)];
  return openPortServer({
    listen: flags.listen,
    trustedProxies: flags.trustedProxies,
    files: files.value,
    isAppRoute: isDashboardRoute,
    pages: new Map([
      ["/healthz", healthPage(options.livenessError)],
      ["/readyz", readyPage(options.dependencies)],
      ["/metrics", metricsPage(metrics)],
    ]),
    onFault: (error) => log.error({ err: error }, "page request failed"),
    rpc: {
      clock,
      mount: options.mount,
      gate: requireRole(accessOf(auth, flags.apiToken), idGenerator(clock)),
      interceptors: audited === undefined ? [] : [audited.interceptor],
      limit: defaultRpcLimit,
      limits: rpcLimits,
      onComplete: (completed) => {
        count(completed);
        write(completed);
        audited?.recordCompleted(completed);
      },
    },
  });
}
