import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { builtSite } from "@realmwatch/shared/api/built-site";
import { renderObjectMetrics } from "@realmwatch/shared/api/object-metrics";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { openProgramServer, type ProgramServerOptions } from "@realmwatch/shared/api/program-server";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Result } from "@realmwatch/shared/model/result";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { version } from "@realmwatch/shared/model/version";
import type { MemoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { UnmappedAlert } from "../alerts/unmapped-alerts.ts";
import type { AgentFlags } from "../flags.ts";
import type { JournalQueries } from "../journal/journal-queries.ts";
import type { ServiceLevels } from "../service-levels/service-levels.ts";
import { adminService } from "./admin-service.ts";
import { commandService } from "./command-service.ts";
import type { MetricQueries } from "./metric-queries.ts";
import { pairService } from "./pair-service.ts";
import { PairView } from "./pair-view.ts";
import type { EngineChannel, PortPlan, PortStart } from "./port-contract.ts";
import { agentQueries } from "./realm-queries.ts";

type AgentServerOptions = Pick<
  ProgramServerOptions,
  | "clock"
  | "log"
  | "metrics"
  | "auth"
  | "processKey"
  | "audit"
  | "livenessError"
  | "dependencies"
  | "uploads"
  | "called"
  | "unavailable"
> &
  Pick<PortStart, "cueVersion"> & {
    readonly flags: AgentFlags;
    readonly engine: EngineChannel;
    readonly model: MemoryReadModel;
    readonly plan: () => PortPlan;
    readonly toggles: () => ProgramToggles | undefined;
    /** Alerts of receivers that are about no object, the one seen last first. */
    readonly unmappedAlerts: () => readonly UnmappedAlert[];
    readonly journal: JournalQueries;
    readonly serviceLevels: ServiceLevels;
    readonly metricQueries: () => Promise<MetricQueries>;
  };

/** Opens the agent's port with the services that its flags allow. Fails with a sentence of one line. */
export function openAgentServer(options: AgentServerOptions): Promise<Result<ProgramPorts, string>> {
  const { flags, clock, auth, model, engine, plan } = options;
  const { realm, readOnly } = flags;
  const pairView = new PairView(() => engine.request("pairStatus"), clock);
  const queries = queryService({
    model,
    clock,
    serverInfo: () => ({
      version,
      cueVersion: options.cueVersion,
      authEnabled: auth !== undefined,
      readOnly,
      realm,
      aggregator: false,
      toggles: options.toggles(),
      objectMetrics: plan().datasources.some((datasource) => datasource.default),
      unmappedAlerts: options.unmappedAlerts().map(({ firstSeenMs, lastSeenMs, ...alert }) => ({
        ...alert,
        firstSeen: timestampToProto(firstSeenMs),
        lastSeen: timestampToProto(lastSeenMs),
      })),
    }),
    realmQueries: agentQueries({ ...options, realm }),
    ...(flags.pair !== undefined && { pair: () => pairView.read() }),
  });
  return openProgramServer({
    ...options,
    audience: `agent/${realm}`,
    objectMetrics: () => renderObjectMetrics({ model, ownRealm: realm, clock }),
    dashboardDir: builtSite(import.meta.resolve("@realmwatch/dashboard/package.json")),
    docsDir: builtSite(import.meta.resolve("@realmwatch/docs/package.json")),
    inactiveReason: flags.pair === undefined ? undefined : () => inactiveReason(engine),
    mount(router) {
      router.service(QueryService, queries);
      if (flags.pair !== undefined)
        router.service(PairService, pairService(engine, Buffer.from(flags.pairSecret?.reveal() ?? "")));
      if (readOnly) return;
      router.service(CommandService, commandService(engine));
      if (auth !== undefined) router.service(AdminService, adminService(engine, options.journal));
    },
  });
}

/** Reason why this member of a pair is not the active one; undefined when it is. */
async function inactiveReason(engine: EngineChannel): Promise<string | undefined> {
  const { role, active, reason } = (await engine.request("pairStatus")) ?? { role: "waiting", active: "", reason: "" };
  if (role === "active") return undefined;
  const of = role === "standby" && active !== "" ? `${role}: the active is ${active}` : role;
  return reason === "" ? of : `${of}: ${reason}`;
}
