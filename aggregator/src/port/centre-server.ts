import { builtSite } from "@realmwatch/shared/api/built-site";
import { renderObjectMetrics } from "@realmwatch/shared/api/object-metrics";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { openProgramServer, type ProgramServerOptions } from "@realmwatch/shared/api/program-server";
import type { Result } from "@realmwatch/shared/model/result";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { mountServices } from "../api/mount-services.ts";
import type { AggregatorFlags } from "../flags.ts";
import type { AwaitedState } from "./awaited-state.ts";
import type { CentreChannel } from "./centre-contract.ts";
import type { PortStores } from "./port-stores.ts";
import type { RemoteForwarder } from "./remote-forwarder.ts";

type CentreServerOptions = Pick<
  ProgramServerOptions,
  "clock" | "log" | "metrics" | "auth" | "processKey" | "audit" | "livenessError" | "dependencies"
> & {
  readonly flags: AggregatorFlags;
  /** Unique id of the process. */
  readonly instance: string;
  readonly engine: CentreChannel;
  readonly model: ReadModel;
  readonly present: AwaitedState;
  readonly forwarder: RemoteForwarder;
  readonly stores: PortStores;
};

/** Opens the aggregator's port with the services that its flags allow. Fails with a sentence of one line. */
export function openCentreServer(options: CentreServerOptions): Promise<Result<ProgramPorts, string>> {
  const { flags, clock, auth, instance, engine, model, present, forwarder, stores } = options;
  return openProgramServer({
    ...options,
    revocations: stores.revocations,
    audience: "aggregator",
    called: { realm: "", instance, previousInstance: "" },
    mount: (router) =>
      mountServices(router, {
        ...{
          flags,
          model,
          clock,
          selections: stores.selections,
          notes: stores.notes,
          views: stores.views,
          authEnabled: auth !== undefined,
        },
        forwarder: () => forwarder,
        historyClaims: () => present.last?.historyClaims ?? new Map(),
        audit: { auditRecords: (query) => engine.request("auditRecords", query) },
      }),
    dashboardDir: builtSite(import.meta.resolve("@realmwatch/dashboard/package.json")),
    docsDir: builtSite(import.meta.resolve("@realmwatch/docs/package.json")),
    objectMetrics: () => renderObjectMetrics({ model, ownRealm: "", clock }),
  });
}
