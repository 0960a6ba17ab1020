import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { authService } from "@realmwatch/shared/api/access/auth-service";
import type { Dependency } from "@realmwatch/shared/api/probe-pages";
import { openProgramDoor, type ProgramDoorOptions } from "@realmwatch/shared/api/program-server";
import { queryService } from "@realmwatch/shared/api/query/query-service";
import type { Result } from "@realmwatch/shared/model/result";
import { version } from "@realmwatch/shared/model/version";
import { openMint } from "@realmwatch/shared/platform/id-generator";
import type { Door } from "@realmwatch/shared/platform/http/port-server";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { adminService } from "./api/admin-service.ts";
import type { CommandDesk } from "./api/command-desk.ts";
import { commandService } from "./api/command-service.ts";
import { natsDependency } from "./centre-link.ts";
import type { AgentFlags } from "./flags.ts";
import type { Journal } from "./journal/journal.ts";
import { journalDependency } from "./kept-journal.ts";
import type { RealmPublisher } from "./publish/nats-publisher.ts";
import type { Configuration } from "./realm/configuration.ts";
import type { OpenRealm } from "./realm/open-realm.ts";

/** The built dashboard, wherever the package manager put it. */
const dashboardDir = join(dirname(fileURLToPath(import.meta.resolve("@realmwatch/dashboard/package.json"))), "dist");

export type AgentDoorParts = Pick<ProgramDoorOptions, "clock" | "log" | "metrics" | "auth" | "audit" | "alive"> & {
  readonly flags: AgentFlags;
  readonly model: ReadModel;
  readonly open: Pick<OpenRealm, "realm">;
  readonly journal: Journal;
  readonly desk: CommandDesk;
  readonly configuration: Configuration;
  /** Undefined until there is one, and for good without a centre. */
  publisher(): RealmPublisher | undefined;
};

/** @param why what keeps the engine from its turns; undefined where nothing does */
const engineDependency = (why: string | undefined): Dependency => ({
  name: "engine",
  ok: why === undefined,
  needed: true,
  detail: why ?? "has its turns",
});

/** Opens the agent's port with what its flags let it serve. Answers why it cannot be opened, in one line. */
export function openAgentDoor(parts: AgentDoorParts): Promise<Result<Door, string>> {
  const { flags, clock, auth, alive, model, open, journal, desk, configuration, publisher } = parts;
  const { realm, readOnly } = flags;
  const commands = commandService({ realm: open.realm, desk, clock, mintId: openMint(clock) });
  const queries = queryService({
    model,
    clock,
    serverInfo: () => ({
      version,
      authEnabled: auth !== undefined,
      readOnly,
      realm,
      aggregator: false,
      toggles: open.realm.program.toggles,
    }),
  });
  return openProgramDoor({
    ...parts,
    dashboardDir,
    mount(router) {
      router.service(QueryService, queries);
      if (!readOnly) router.service(CommandService, commands);
      if (auth !== undefined) router.service(AuthService, authService);
      if (auth !== undefined && !readOnly) router.service(AdminService, adminService(configuration, journal));
    },
    dependencies() {
      const state = publisher()?.state();
      const own = [engineDependency(alive()), journalDependency(journal.health())];
      return state === undefined ? own : [...own, natsDependency(state)];
    },
  });
}
