import type { DescMethod } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { AuditLog } from "../model/audit.ts";
import type { Result } from "../model/result.ts";
import { allowedHosts } from "../platform/http/host-header.ts";
import { documentationPolicy } from "../platform/http/security-headers.ts";
import { loadStaticFiles, openSite } from "../platform/http/static-files.ts";
import type { Uploads } from "../platform/http/uploads.ts";
import { idGenerator } from "../platform/id-generator.ts";
import { returnLargeBlocks } from "../platform/process/large-blocks.ts";
import type { RpcServerOptions } from "../platform/rpc/rpc-handler.ts";
import { type AuthenticationOptions, accessOf, mountAuthService, openAuthentication } from "./access/authentication.ts";
import { type AccessPolicy, requireRole } from "./access/require-role.ts";
import { type CalledProgram, refuseOtherTarget } from "./access/require-target.ts";
import { auditRpcs } from "./audit/audit-rpcs.ts";
import { isDashboardRoute } from "./dashboard-routes.ts";
import { describedApi, discoveryServices } from "./discovery/described-api.ts";
import type { ObjectMetricsPage } from "./probe-pages.ts";
import type { ProgramFlags } from "./program-flags.ts";
import { openProgramPorts, type ProgramPorts, type ProgramPortsOptions } from "./program-ports.ts";
import { toConnectError } from "./rpc/refusal-to-code.ts";
import { defaultRpcLimit, lenientRpcs, rpcLimits } from "./rpc/rpc-limits.ts";
import { logRpcs } from "./rpc/rpc-log.ts";
import { countRpcs } from "./rpc/rpc-metrics.ts";

type SharedOptions = Pick<
  ProgramPortsOptions,
  "flags" | "metrics" | "livenessError" | "dependencies" | "inactiveReason"
>;
export type ProgramServerOptions = AuthenticationOptions &
  SharedOptions & {
    readonly flags: Pick<ProgramFlags, "apiToken" | "allowedHosts">;
    /** Destination of audit records of calls; undefined disables auditing. */
    readonly audit?: AuditLog | undefined;
    /** Paths that take POST requests of other protocols; default: none. */
    readonly uploads?: Uploads | undefined;
    /** Registers the services, except AuthService. */
    readonly mount: (router: ConnectRouter) => void;
    /** Realm and process as callers may name them. */
    readonly called: CalledProgram;
    /** Folder of the built dashboard. */
    readonly dashboardDir: string;
    /** Folder of the built documentation; a program without it serves none. */
    readonly docsDir: string;
    /** Reason why queries and commands are refused; empty, the default, while they are answered. */
    readonly unavailable?: () => string;
    /** Renders the metrics of all objects for `/metrics?objects=1`; undefined when they cannot be read. */
    readonly objectMetrics?: () => Promise<string | undefined>;
  };

/**
 * Opens a program's port with the parts that agent and aggregator share: access control, limits, logs and metrics of
 * calls, the probes, `/metrics` and the dashboard's files.
 *
 * @returns the server, or a one-line message when the port cannot be opened
 */
export async function openProgramServer(options: ProgramServerOptions): Promise<Result<ProgramPorts, string>> {
  const { flags, clock, log, metrics, called } = options;
  const files = await loadStaticFiles(options.dashboardDir);
  if (!files.ok) return files;
  const documentation = await openSite(options.docsDir, { at: "/docs", policy: documentationPolicy });
  const opened = await openAuthentication(options);
  if (!opened.ok) return opened;
  const authentication = opened.value;
  const access = accessOf(authentication, flags);
  const audited = options.audit && auditRpcs({ audit: options.audit, clock });
  const [count, write] = [countRpcs(metrics), logRpcs(log)];
  const api = describedApi(options);
  const authorize = requireRole(access, idGenerator(clock));
  const rpc: RpcServerOptions = {
    clock,
    instance: called.instance,
    mount: (router) =>
      api.mount(router, () => {
        if (authentication !== undefined) mountAuthService(router, authentication, clock);
        options.mount(router);
      }),
    async gate(context) {
      await authorize(context);
      refuseOtherTarget(context, called, clock.monotonic());
      refuseWhileUnavailable(context.method, options.unavailable?.() ?? "");
    },
    interceptors: audited === undefined ? [] : [audited.interceptor],
    limit: defaultRpcLimit,
    limits: rpcLimits,
    lenientPaths: lenientRpcs,
    onComplete: (completed) => {
      count(completed);
      write(completed);
      audited?.recordCompleted(completed);
    },
  };
  const server = await openProgramPorts({
    ...options,
    allowedHosts: authentication === undefined ? allowedHosts(flags.allowedHosts, flags.publicUrl) : undefined,
    objectMetrics: options.objectMetrics && objectMetricsPage(access, options.objectMetrics),
    description: api.pages,
    services: {
      uploads: options.uploads,
      isUnmounted: api.isUnmounted,
      files: new Map([...files.value, ...documentation]),
      isAppRoute: isDashboardRoute,
      rpc,
    },
  });
  if (server.ok) {
    returnLargeBlocks();
    const { connections } = server.value;
    metrics.observableGauges({
      http_connections: ["Open connections to the port.", () => connections().open],
    });
  }
  return server;
}

/** Services that need no data of the realm; neither does `GetServerInfo`, which the command line asks first. */
const alwaysAvailable: ReadonlySet<string> = new Set([
  AuthService.typeName,
  PairService.typeName,
  ...discoveryServices.map(({ typeName }) => typeName),
]);

/** [PA56] Refuses calls that need data which are not there. */
function refuseWhileUnavailable(method: DescMethod, why: string): void {
  if (why === "" || method === QueryService.method.getServerInfo || alwaysAvailable.has(method.parent.typeName)) return;
  throw toConnectError({ kind: "unavailable", what: why });
}

/** [MT10] Every identity is at least a viewer, so any may read the metrics of objects. */
const objectMetricsPage = (access: AccessPolicy, render: ObjectMetricsPage["render"]): ObjectMetricsPage => ({
  render,
  async refusal(header) {
    if (access.kind !== "identities") return undefined;
    const caller = await access.identify(header);
    return caller.ok && caller.value !== undefined ? undefined : 401;
  },
});
