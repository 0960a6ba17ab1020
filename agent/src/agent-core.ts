import { outboundPolicyOf } from "@realmwatch/shared/api/program-flags";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { sleep } from "@realmwatch/shared/model/clock";
import { buildCommit, version } from "@realmwatch/shared/model/version";
import { type Metrics, openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { realmInboxPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type AgentMetrics, agentMetrics } from "./agent-metrics.ts";
import { registerStateMetrics } from "./api/state-metrics.ts";
import { openCheckRunner } from "./check-runner.ts";
import { openDatasourceHttp } from "./datasources/datasource-http.ts";
import type { AgentFlags } from "./flags.ts";
import { type MetricQueries, openMetricQueries } from "./metric-queries/metric-queries.ts";
import { type MetricRecording, openMetricRecording } from "./metric-queries/metric-recording.ts";
import { type OutboundActions, openOutboundActions } from "./outbound-actions.ts";
import type { PendingStart } from "./pending-start.ts";
import { openNameResolver } from "./platform/dns/name-resolver.ts";
import { observedJournal } from "./realm/durability/observed-journal.ts";
import { type OpenRealm, openRealm } from "./realm/open-realm.ts";
import { realmCatalog } from "./realm/outputs/realm-catalog.ts";
import { type RealmEvents, realmEvents } from "./realm-events.ts";
import { openRemoteZones } from "./remote-zones.ts";
import { openServiceLevels, type ServiceLevels } from "./service-levels/service-levels.ts";
import { commandSamples } from "./sink-worker/command-samples.ts";
import { openSinks, type Sinks } from "./sink-worker/open-sinks.ts";
import { registerSinkMetrics } from "./sink-worker/sink-metrics.ts";
import type { StartInputs } from "./start-inputs.ts";

/** The parts of an agent that work without its port: realm, read model, checks, notifications and event handlers. */
export type AgentCore = {
  readonly metrics: Metrics;
  readonly measured: AgentMetrics;
  readonly model: MemoryReadModel;
  readonly open: OpenRealm;
  readonly events: RealmEvents;
  readonly outbound: OutboundActions;
  readonly sinks: Sinks;
  /** Present catalog of the realm. */
  catalog(): Catalog;
  readonly serviceLevels: ServiceLevels;
  readonly recording: MetricRecording;
  readonly metricQueries: MetricQueries;
  /** Undefined without `-nats-url`. */
  readonly bus: NatsBus | undefined;
  /** Ends running checks and deliveries, at most `graceMs` after the call; call it after `open.stop`. */
  close(graceMs: number): Promise<void>;
};

/** Time that sinks have for what waits when the agent stops, ms. */
const sinkGraceMs = 5_000;

/** Opens the realm with everything that it needs. Checks and notifications begin with `open.start()`. */
export async function openAgentCore(
  { flags, log, journalCallbacks }: PendingStart,
  { plan, loadedInMs, recovered: { journal, kept, epoch } }: StartInputs,
): Promise<AgentCore> {
  const clock = systemClock;
  const { realm: name } = flags;
  const metrics = openMetrics({ version, commit: buildCommit });
  const measured = agentMetrics(metrics);
  measured.configEvaluated(loadedInMs);
  journalCallbacks.onSync = measured.synced;
  const model = memoryReadModel({
    generation: String(epoch),
    history: journal,
    past: journal,
    yieldToEventLoop: () => sleep(clock, 0),
    ownRealm: name,
  });
  const policy = outboundPolicyOf(flags, { demo: flags.configProfile === "demo" });
  const sinks = openSinks({
    ...{ clock, log, dataDir: flags.dataDir, realm: name, outboundDeny: policy.networks },
    lastHistorySeq: kept.lastHistorySeq,
  });
  registerSinkMetrics(metrics, sinks);
  // Before the realm opens: the commands that it applies again may have results with performance data.
  void sinks.configure(plan, commandSamples(kept.appliedCommands, plan));
  const { dataDir, metricsRetention: retentionMs } = flags;
  const recording = openMetricRecording({ dataDir, retentionMs, clock, log, metrics });
  await recording.configure(plan);
  const datasourceHttp = openDatasourceHttp({ clock, resolver: openNameResolver({ clock, outbound: policy }) });
  const events = realmEvents({ model, measured, log, sinks, recording, lastHistorySeq: kept.lastHistorySeq });
  const checks = openCheckRunner({ outbound: policy, metrics });
  const bus = openAgentBus(flags, log);
  const zones = bus && openRemoteZones({ realm: name, bus, metrics, insecure: flags.insecureWorker });
  const open = await openRealm({
    name,
    plan,
    clock,
    journal: observedJournal(journal, measured.recorded),
    epoch,
    stored: kept,
    run: checks.run,
    zones: new Set(flags.zones),
    runElsewhere: zones?.run,
    source: name,
    maxConcurrentChecks: flags.maxConcurrentChecks,
    listeners: events.listeners,
  });
  journalCallbacks.refsMatching = (selector) => open.realm.refsMatching(selector);
  for (const row of open.loop.allRows()) model.apply([row]);
  const catalog = (): Catalog => sinks.withProgress(realmCatalog(open.realm));
  model.setCatalog(catalog());
  sinks.onStatus(() => model.setCatalog(catalog()));
  registerStateMetrics({ metrics, model, clock, plan: () => open.realm.plan });
  const outbound = openOutboundActions({ flags, clock, log, metrics, open, run: checks.run });
  events.connect({ outbound });
  return {
    metrics,
    measured,
    model,
    open,
    events,
    outbound,
    sinks,
    catalog,
    serviceLevels: openServiceLevels({ realm: open.realm, journal, clock }),
    recording,
    metricQueries: openMetricQueries({ realm: open.realm, http: datasourceHttp, recording, clock, log }),
    bus,
    async close(graceMs) {
      zones?.close();
      await Promise.all([checks.close(), outbound.close(graceMs), sinks.close(sinkGraceMs)]);
      await Promise.all([recording.close(), datasourceHttp.close()]);
    },
  };
}

const openAgentBus = (flags: AgentFlags, log: PendingStart["log"]): NatsBus | undefined =>
  flags.natsUrl &&
  openNatsBus({
    url: flags.natsUrl.reveal(),
    ...natsCredentialFiles(flags),
    name: `realmwatch-agent ${flags.realm}`,
    inboxPrefix: realmInboxPrefix(flags.realm),
    clock: systemClock,
    log,
  });
