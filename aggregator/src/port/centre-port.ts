import { anonymousCallLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import { engineAudit, withEngineMetrics } from "@realmwatch/shared/api/engine-parts";
import { EnginePulse } from "@realmwatch/shared/api/engine-pulse";
import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { ProgramPorts } from "@realmwatch/shared/api/program-ports";
import { ok } from "@realmwatch/shared/model/result";
import { openLog } from "@realmwatch/shared/platform/log/log";
import { openThreadMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AggregatorFlags } from "../flags.ts";
import { AwaitedState } from "./awaited-state.ts";
import type { CentreChannel, CentrePortFunctions, CentrePortStart } from "./centre-contract.ts";
import { openCentreServer } from "./centre-server.ts";
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
  const log = openLog({ level: flags.logLevel, format: flags.logFormat });
  const metrics = withEngineMetrics(openThreadMetrics("port"), () => engine.request("renderMetrics"));
  const audit = anonymousCallLimiter({
    audit: engineAudit((record) => engine.request("recordAudit", record)),
    clock,
  });
  const pulse = new EnginePulse(clock);
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
      const opened = await openCentreServer({
        ...{ flags, clock, log, metrics, auth, processKey, instance, engine, present, forwarder, stores },
        audit,
        model: gatedReadModel(present, models),
        livenessError: pulse.error,
        dependencies: async () => (pulse.isSilent() ? [silent] : engine.request("dependencies")),
      });
      if (!opened.ok) return opened;
      server = opened.value;
      const { address, port, url } = server;
      return ok({ address, port, url });
    },
    reloadCertificate: () => server?.reloadCertificate(),
    async close(graceMs) {
      await server?.close(graceMs);
      await audit.close();
      await stores.close();
      metrics.close();
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
