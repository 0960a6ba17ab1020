import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { renderObjectMetrics } from "@realmwatch/shared/api/object-metrics";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { openProgramServer, type ProgramServerOptions } from "@realmwatch/shared/api/program-server";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import type { PortServer } from "@realmwatch/shared/platform/http/port-server";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { adminService } from "./api/admin-service.ts";
import type { CommandIntake } from "./api/command-intake.ts";
import { commandService } from "./api/command-service.ts";
import { KeyedCalls } from "./api/keyed-calls.ts";
import { agentQueries } from "./api/realm-queries.ts";
import type { AgentFlags } from "./flags.ts";
import type { Journal } from "./journal/journal.ts";
import type { MetricQueries } from "./metric-queries/metric-queries.ts";
import { natsDependency } from "./nats-link.ts";
import type { AgentInstances } from "./publish/heartbeat/agent-instances.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { OpenRealm } from "./realm/open-realm.ts";
import type { ActiveConfiguration } from "./realm/reload/active-configuration.ts";
import { journalDependency, type RecoveredJournal, restoredCopyDependency } from "./recovered-journal.ts";
import type { ServiceLevels } from "./service-levels/service-levels.ts";

/** Folder of the built dashboard, wherever the package manager put it. */
const dashboardDir = join(dirname(fileURLToPath(import.meta.resolve("@realmwatch/dashboard/package.json"))), "dist");

type AgentServerOptions = Pick<
  ProgramServerOptions,
  "clock" | "log" | "metrics" | "auth" | "audit" | "livenessError" | "uploads"
> & {
  readonly flags: AgentFlags;
  /** Ids of this process and of the one before it. */
  readonly instances: AgentInstances;
  readonly cueVersion: string;
  readonly model: ReadModel;
  readonly open: Pick<OpenRealm, "realm">;
  readonly journal: Journal;
  readonly restoredCopy: RecoveredJournal["restoredCopy"];
  readonly intake: CommandIntake;
  readonly configuration: ActiveConfiguration;
  readonly serviceLevels: ServiceLevels;
  readonly metricQueries: MetricQueries;
  /** Undefined without `-nats-url`. */
  readonly publisher: RealmPublisher | undefined;
};

/** @param why reason why the engine does not run; undefined when it runs */
const engineDependency = (why: string | undefined): DependencyStatus => ({
  name: "engine",
  ok: why === undefined,
  needed: true,
  detail: why ?? "runs",
});

/** Opens the agent's port with the services that its flags allow. Fails with a sentence of one line. */
export function openAgentServer(options: AgentServerOptions): Promise<Result<PortServer, string>> {
  const { flags, clock, auth, livenessError, model, open, journal, intake, configuration, publisher } = options;
  const { serviceLevels, metricQueries } = options;
  const { realm, readOnly } = flags;
  const keyedCalls = new KeyedCalls(journal);
  const commands = commandService({
    realm: open.realm,
    ...{ intake, journal, keyedCalls, clock, mintId: idGenerator(clock) },
    heldReason: () => publisher?.state().heldReason ?? "",
  });
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
      toggles: open.realm.program.toggles,
      objectMetrics: open.realm.plan.datasources.some((datasource) => datasource.default),
    }),
    realmQueries: agentQueries({ realm: open.realm, clock, serviceLevels, metricQueries }),
  });
  return openProgramServer({
    ...options,
    audience: `agent/${realm}`,
    called: { realm, instance: options.instances.own, previousInstance: options.instances.previous },
    objectMetrics: () => renderObjectMetrics({ model, ownRealm: realm, clock }),
    dashboardDir,
    mount(router) {
      router.service(QueryService, queries);
      if (!readOnly) router.service(CommandService, commands);
      if (auth !== undefined && !readOnly)
        router.service(
          AdminService,
          adminService({ configuration, audit: journal, journal, keyedCalls, clock, realm: open.realm }),
        );
    },
    dependencies() {
      const state = publisher?.state();
      const own = [
        engineDependency(livenessError()),
        journalDependency(journal.health()),
        ...restoredCopyDependency(options.restoredCopy),
      ];
      return state === undefined ? own : [...own, natsDependency(state)];
    },
  });
}
