import { warningsFor } from "@realmwatch/shared/api/access/start-warnings";
import { builtSite } from "@realmwatch/shared/api/built-site";
import { openPortParts } from "@realmwatch/shared/api/engine-parts";
import { renderObjectMetrics } from "@realmwatch/shared/api/object-metrics";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { openProgramServer } from "@realmwatch/shared/api/program-server";
import { ok } from "@realmwatch/shared/model/result";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { mountServices } from "../api/mount-services.ts";
import { type AggregatorFlags, aggregatorStart } from "../flags.ts";
import { AwaitedState } from "./awaited-state.ts";
import type { CentreChannel, CentrePortFunctions, CentrePortStart } from "./centre-contract.ts";
import { gatedReadModel } from "./gated-read-model.ts";
import { openPortStores } from "./open-port-stores.ts";
import { modelFunctions, openPortModel, type PortModel } from "./port-models.ts";
import { RemoteForwarder } from "./remote-forwarder.ts";

/** Opens the aggregator's port with everything that answers its requests: read models, queries and the dashboard. */
export async function openCentrePort(
  start: CentrePortStart,
  flags: AggregatorFlags,
  engine: CentreChannel,
): Promise<CentrePortFunctions> {
  const clock = systemClock;
  const { pulse, ...parts } = await openPortParts(flags, engine, clock);
  const present = new AwaitedState(engine, clock);
  const forwarder = new RemoteForwarder(engine, clock);
  const stores = await openPortStores({ flags, clock, engine, present });
  const models = new Map<number, PortModel>();
  let server: ProgramPorts | undefined;
  const silent: DependencyStatus = { name: "engine", ok: false, needed: true, detail: "does not answer" };
  return {
    ...endingThread(
      modelFunctions(models, (started) => openPortModel(started, { clock, openHistory: stores.openHistory })),
    ),
    setState: (state) => present.arrived(state),
    setForwardedRealms: (realms) => forwarder.setRealms(realms),
    setCentre: stores.setCentre,
    heartbeat: (livenessError) => pulse.beat(livenessError),
    async listen() {
      const { auth, processKey, instance } = start;
      const model = gatedReadModel(present, models);
      const opened = await openProgramServer({
        ...{ ...parts, flags, clock, auth, processKey, revocations: stores.revocations },
        audience: "aggregator",
        called: { realm: "", instance, previousInstance: "" },
        livenessError: pulse.error,
        dependencies: async () => (pulse.isSilent() ? [silent] : engine.request("dependencies")),
        mount: (router) =>
          mountServices(router, {
            ...{ ...stores, flags, model, clock, authEnabled: auth !== undefined },
            warnings: (caller) => warningsFor(caller, aggregatorStart(flags)),
            forwarder: () => forwarder,
            historyClaims: () => present.last?.historyClaims ?? new Map(),
            audit: { auditRecords: (query) => engine.request("auditRecords", query) },
          }),
        dashboardDir: builtSite(import.meta.resolve("@realmwatch/dashboard/package.json")),
        docsDir: builtSite(import.meta.resolve("@realmwatch/docs/package.json")),
        objectMetrics: () => renderObjectMetrics({ model, ownRealm: "", clock }),
      });
      if (!opened.ok) return opened;
      server = opened.value;
      const { address, port, url } = server;
      return ok({ address, port, url });
    },
    reloadCertificate: () => server?.reloadCertificate(),
    async close(graceMs) {
      await server?.close(graceMs);
      await parts.audit.close();
      await stores.close();
      parts.metrics.close();
    },
  };
}

/** Functions that end the thread when they fail: rows that it lacks would be missing in each further answer. */
function endingThread<Functions extends object>(functions: Functions): Functions {
  const wrapped = Object.entries<(...args: unknown[]) => unknown>(functions as never).map(([name, run]) => [
    name,
    (...args: unknown[]) => {
      try {
        return run(...args);
      } catch (error) {
        setImmediate(() => {
          throw error;
        });
        throw error;
      }
    },
  ]);
  return Object.fromEntries(wrapped) as Functions;
}
