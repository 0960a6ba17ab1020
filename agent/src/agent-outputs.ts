import type { Catalog } from "@realmwatch/shared/model/catalog";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { OutboundPolicy } from "@realmwatch/shared/platform/network/outbound-policy";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { Journal } from "./journal/journal.ts";
import { MetricRecording } from "./metric-recording.ts";
import type { NatsLink } from "./nats-link.ts";
import { type OutboundActions, openOutboundActions } from "./outbound-actions.ts";
import { AgentPortHost } from "./port-host/agent-port-host.ts";
import { AppliedCommands } from "./port-host/applied-commands.ts";
import { type AgentInstances, recordAgentInstance } from "./publish/heartbeat/agent-instances.ts";
import type { RealmListeners, RecoveredRealm } from "./realm/open-realm.ts";
import { realmCatalog } from "./realm/outputs/realm-catalog.ts";
import type { RunCheck } from "./realm/schedule/check-starter.ts";
import { sinkPublication, withSinkProgress } from "./sink-worker/sink-catalog.ts";
import { registerSinkMetrics } from "./sink-worker/sink-metrics.ts";
import { commandSamples, Sinks } from "./sink-worker/sinks.ts";
import type { PendingStart, StartInputs } from "./start-inputs.ts";

/** Everything that receives what the realm does. It exists before the realm is opened. */
export type AgentOutputs = {
  /** Port that is not open yet. */
  readonly port: AgentPortHost;
  readonly commands: AppliedCommands;
  readonly sinks: Sinks;
  readonly recording: MetricRecording;
  readonly outbound: OutboundActions;
  /** Ids of this process and of the one before it. */
  readonly instances: AgentInstances;
  /** Undefined without `-nats-url`. */
  readonly link: NatsLink | undefined;
  /** Present catalog of the realm. */
  catalog(): Catalog;
  readonly listeners: RealmListeners;
  /** Ends running deliveries, at most `graceMs` after the call. */
  close(graceMs: number): Promise<void>;
};

type OutputOptions = {
  readonly start: PendingStart;
  readonly inputs: StartInputs;
  readonly recovered: RecoveredRealm;
  readonly bus: NatsBus | undefined;
  readonly policy: OutboundPolicy;
  /** Runs event handlers, which are checks by their form. */
  readonly run: RunCheck;
};

/** Time that sinks have for what waits when the agent stops, ms. */
const sinkGraceMs = 5_000;

/** Opens the outputs of a realm. Notifications and handlers wait until it starts. */
export async function openAgentOutputs(options: OutputOptions): Promise<AgentOutputs> {
  const { start, inputs, recovered, bus, policy, run } = options;
  const clock = systemClock;
  const { flags, log, metrics } = start;
  const { realm } = recovered;
  const port = start.host?.port ?? new AgentPortHost({ clock, log });
  const commands = new AppliedCommands(clock);
  const { sinks, recording } = await openPerfdataOutputs(start, inputs, policy);
  const catalog = (): Catalog => withSinkProgress(realmCatalog(realm), sinks.statuses());
  const outbound = openOutboundActions({ flags, clock, log, metrics, recovered, run, right: start.host?.right });
  const instances = start.host?.instances ?? (await openInstances(start, bus));
  const journal = inputs.recovered;
  const pair = start.host?.control;
  const link =
    bus &&
    (await import("./nats-link.ts")).openNatsLink({
      ...{ flags, log, metrics, bus, recovered, journal, instances, catalog, pair },
      epochHeard: start.host?.epochHeard,
    });
  sinks.onStatus(() => port.catalogChanged());
  if (link !== undefined) sinks.onStatus(sinkPublication(clock, () => link.publisher.catalogChanged()));
  const outputs = { port, commands, sinks, recording, outbound, instances, link, catalog };
  return {
    ...outputs,
    listeners: realmListeners(outputs, start),
    async close(graceMs) {
      await Promise.all([outbound.close(graceMs), sinks.close(Math.min(sinkGraceMs, graceMs)), link?.close()]);
      await recording.close();
    },
  };
}

/** Ids of this process and, where it publishes, of the one before it. */
async function openInstances({ flags, log }: PendingStart, bus: NatsBus | undefined): Promise<AgentInstances> {
  const own = idGenerator(systemClock)();
  return bus ? recordAgentInstance({ dataDir: flags.dataDir, own, log }) : { own, previous: "" };
}

/** Beginning of the name of a sink's cursor in the journal. */
const sinkCursorPrefix = "sink ";

/** Positions of the sinks in the history, in the cursors that the other member of a pair gets too. */
const sharedEventPositions = (journal: Journal) => ({
  positions: new Map(
    journal
      .cursors()
      .filter(([name]) => name.startsWith(sinkCursorPrefix))
      .map(([name, seq]) => [name.slice(sinkCursorPrefix.length), seq + 1]),
  ),
  store: (sink: string, position: number): void => void journal.setCursor(sinkCursorPrefix + sink, position - 1),
});

/** Opens sinks and recording with the plan: the commands that the realm applies again may have performance data. */
async function openPerfdataOutputs(
  { flags, log, metrics, host }: PendingStart,
  { plan, recovered: { kept, journal } }: StartInputs,
  policy: OutboundPolicy,
): Promise<Pick<AgentOutputs, "sinks" | "recording">> {
  const { realm, dataDir, metricsRetention: retentionMs } = flags;
  const clock = systemClock;
  const { lastHistorySeq } = kept;
  const sinks = new Sinks({
    clock,
    log,
    dataDir,
    realm,
    outboundDeny: policy.networks,
    lastHistorySeq,
    right: host?.right,
    shared: host && sharedEventPositions(journal),
  });
  registerSinkMetrics(metrics, sinks);
  void sinks.configure(plan, commandSamples(kept.appliedCommands, plan));
  const recording = new MetricRecording({ dataDir, retentionMs, clock, log, metrics });
  await recording.configure(plan);
  return { sinks, recording };
}

/** Distributes what a realm does: first to the port, then to metrics, the log, sinks and the other outputs. */
function realmListeners(
  { port, commands, sinks, recording, outbound, link }: Omit<AgentOutputs, "listeners" | "close">,
  { measured, log }: PendingStart,
): RealmListeners {
  const publisher = link?.publisher;
  return {
    rowsChanged(changes) {
      port.rowsChanged(changes.map(({ change }) => change));
      measured.rowsChanged(changes);
      recording.rowsChanged(changes);
      publisher?.rows(changes);
    },
    catalogChanged() {
      port.catalogChanged();
      publisher?.catalogChanged();
    },
    historyAdvanced(seq, entries) {
      measured.recorded(entries);
      sinks.historyAdvanced(seq);
      publisher?.historyAdvanced(seq);
    },
    journalFailed(why) {
      measured.journalFailed();
      log.error({ why }, "the journal accepts no writes; commands are refused, checks go on");
    },
    journalHealed: () => log.info("the journal accepts writes again; everything that waited is on disk"),
    clockJumped: (byMs) => log.warn({ bySeconds: Math.round(byMs / 1000) }, "the wall clock of this machine was set"),
    notify: outbound.notify,
    handle: outbound.handle,
    perfdataReceived(samples, commandSeq) {
      sinks.perfdataReceived(samples, commandSeq);
      recording.perfdataReceived(samples);
    },
    takenCommandSeq: () => sinks.takenCommandSeq(),
    resultDropped: measured.resultDropped,
    commandApplied(seq, latencyMs) {
      measured.commandApplied(latencyMs);
      commands.applied(seq);
    },
    checkEnded: measured.checkEnded,
  };
}
