import { sleep } from "@realmwatch/shared/model/clock";
import { version } from "@realmwatch/shared/model/version";
import { type Metrics, openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { natsCredentialFiles } from "@realmwatch/shared/platform/nats/nats-credential-files";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type MemoryReadModel, memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { realmInboxPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type AgentMetrics, agentMetrics } from "./agent-metrics.ts";
import { openCheckRunner } from "./check-runner.ts";
import type { AgentFlags } from "./flags.ts";
import { type OutboundActions, openOutboundActions } from "./outbound-actions.ts";
import type { PendingStart } from "./pending-start.ts";
import { type OpenRealm, openRealm } from "./realm/open-realm.ts";
import { realmCatalog } from "./realm/outputs/realm-catalog.ts";
import { type RealmEvents, realmEvents } from "./realm-events.ts";
import { openRemoteZones } from "./remote-zones.ts";
import type { StartInputs } from "./start-inputs.ts";

/** The parts of an agent that work without its port: realm, read model, checks, notifications and event handlers. */
export type AgentCore = {
  readonly metrics: Metrics;
  readonly measured: AgentMetrics;
  readonly model: MemoryReadModel;
  readonly open: OpenRealm;
  readonly events: RealmEvents;
  readonly outbound: OutboundActions;
  /** Undefined without `-nats-url`. */
  readonly bus: NatsBus | undefined;
  /** Ends running checks and deliveries, at most `graceMs` after the call; call it after `open.stop`. */
  close(graceMs: number): Promise<void>;
};

/** Opens the realm with everything that it needs. Checks and notifications begin with `open.start()`. */
export async function openAgentCore(
  { flags, log, journalCallbacks }: PendingStart,
  { plan, recovered: { journal, kept, epoch } }: StartInputs,
): Promise<AgentCore> {
  const clock = systemClock;
  const { realm: name } = flags;
  const metrics = openMetrics({ program: "agent", version });
  const measured = agentMetrics(metrics);
  journalCallbacks.onSync = measured.synced;
  const model = memoryReadModel({
    generation: String(epoch),
    history: journal,
    past: journal,
    yieldToEventLoop: () => sleep(clock, 0),
    ownRealm: name,
  });
  const events = realmEvents({ model, measured, log, lastHistorySeq: kept.lastHistorySeq });
  const checks = openCheckRunner();
  const bus = openAgentBus(flags, log);
  const zones = bus && openRemoteZones({ realm: name, bus, metrics, insecure: flags.insecureWorker });
  const open = await openRealm({
    name,
    plan,
    clock,
    journal,
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
  model.setCatalog(realmCatalog(open.realm));
  const outbound = openOutboundActions({ flags, clock, log, metrics, open, run: checks.run });
  events.connect({ outbound });
  return {
    metrics,
    measured,
    model,
    open,
    events,
    outbound,
    bus,
    async close(graceMs) {
      zones?.close();
      await Promise.all([checks.close(), outbound.close(graceMs)]);
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
