import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { countObjects } from "@realmwatch/shared/config/plan-catalog";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { version } from "@realmwatch/shared/model/version";
import type { PortServer } from "@realmwatch/shared/platform/http/port-server";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { AgentFlags } from "./flags.ts";
import type { PairControl } from "./pair/pair-control.ts";
import type { AgentInstances } from "./publish/heartbeat/agent-instances.ts";
import type { OlderCopy } from "./publish/heartbeat/older-copy.ts";
import { natsDependency, openRealmPublisher } from "./publish/nats-publisher.ts";
import { publishAckMetric, publishMetrics } from "./publish/publish-metrics.ts";
import { dispatchedRequestOf, serveRpcOverNats } from "./publish/rpc-over-nats.ts";
import type { RecoveredRealm } from "./realm/open-realm.ts";
import type { RealmReader } from "./realm/state/realm-reader.ts";
import { noteLoss, type RecoveredJournal } from "./recovered-journal.ts";

type NatsLinkOptions = {
  readonly flags: AgentFlags;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly bus: NatsBus;
  readonly recovered: Pick<RecoveredRealm, "realm" | "rows">;
  readonly journal: RecoveredJournal;
  /** Ids of this process and of the one before it. */
  readonly instances: AgentInstances;
  /** Returns the present catalog of the realm. */
  readonly catalog: () => Catalog;
  /** The pair that this agent is a member of; absent for one without. */
  readonly pair?: Pick<PairControl, "status"> | undefined;
  /** Called with an epoch that was minted because the centre knows a greater one. Default: not called. */
  readonly epochHeard?: ((epoch: number) => void) | undefined;
};

export type NatsLink = ReturnType<typeof openNatsLink>;

/** Publishes the realm over NATS. */
export function openNatsLink(options: NatsLinkOptions) {
  const { flags, log, metrics, bus, instances } = options;
  const { journal, kept, epoch, restoredCopy } = options.journal;
  const { rows } = options.recovered;
  const clock = systemClock;
  const { realm } = flags;
  const publisher = openRealmPublisher({
    bus,
    clock,
    log,
    epoch,
    acknowledged: publishAckMetric(metrics),
    source: {
      realm,
      instance: instances.own,
      previousInstance: instances.previous,
      version,
      allRows: () => rows.allRows(),
      catalog: options.catalog,
      counts: planCounts(options.recovered.realm),
      history: journal,
      lastHistorySeq: kept.lastHistorySeq,
      atStart: { history: kept.lastHistorySeq, command: kept.lastCommandSeq },
      restoredCopy: restoredCopy.text,
      pair: () => options.pair?.status(),
      onOlderCopy: (copy) => noteOlderCopy(options.journal, copy),
    },
    onEpoch(greater) {
      rows.renumber(greater);
      void journal.keepEpoch(greater);
      options.epochHeard?.(greater);
    },
  });
  publishMetrics(metrics, { clock, bus, state: () => publisher.state() });
  // Calls may follow the first heartbeat at once, before the port is open: they wait for it.
  const opened = Promise.withResolvers<Pick<PortServer, "dispatch">>();
  const stopCalls = serveRpcOverNats({
    bus,
    clock,
    log,
    realm,
    instance: instances.own,
    isHeld: () => publisher.state().heldReason !== "",
    answer: async (call) => (await opened.promise).dispatch(dispatchedRequestOf(call)),
  });
  return {
    publisher,
    /** Answers the calls over NATS, those too that have arrived since the start, through the gates of the agent's port. */
    serveCalls: opened.resolve,
    /** NATS on the readiness page. */
    dependency: () => natsDependency(publisher.state()),
    async close() {
      stopCalls();
      await publisher.close();
    },
  };
}

/** Notes that the journal is an older copy, and continues its numbers after those that the aggregator has seen. */
async function noteOlderCopy(recovered: RecoveredJournal, { own, seen }: OlderCopy) {
  const lostCommands = Math.max(0, seen.command - own.command);
  const lost = { fromSeq: own.history + 1, toSeq: seen.history, lostCommands };
  await noteLoss(recovered, lost);
  return recovered.journal.noteLost(lost, seen.command);
}

/** Returns a function that counts the objects of the present plan, once for each plan. */
function planCounts(realm: Pick<RealmReader, "plan">) {
  let counted: RealmPlan | undefined;
  let counts = { hosts: 0, services: 0, processes: 0, configHash: "" };
  return () => {
    const { plan } = realm;
    if (plan === counted) return counts;
    const { host: hosts, service: services, process: processes } = countObjects(plan);
    counted = plan;
    counts = { hosts, services, processes, configHash: plan.hash };
    return counts;
  };
}
