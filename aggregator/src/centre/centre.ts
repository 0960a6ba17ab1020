import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { openSwitchingForwarder } from "../forward/forwarder.ts";
import { listenToHeartbeats } from "../ingest/heartbeat-listener.ts";
import { openRemovedRowPruner } from "../ingest/prune-removed.ts";
import type { CentreState } from "../port/centre-contract.ts";
import type { FedModels } from "../port-host/fed-models.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import { openRedisHealth } from "../redis/health/redis-health.ts";
import type { CentreRedis } from "../redis/ownership/centre-redis.ts";
import { RedisStore } from "../redis/redis-store.ts";
import type { ActiveReadModel } from "./active-read-model.ts";
import { aggregatorMetrics } from "./aggregator-metrics.ts";
import { centreStatus } from "./centre-status.ts";
import type { RealmDocuments } from "./documents.ts";
import { heartbeatReplies } from "./heartbeat-replies.ts";
import { ingestEvents } from "./ingest-events.ts";
import { openMemoryReadModel } from "./memory-active-read-model.ts";
import { openReadModels } from "./read-models.ts";
import { openRealmRepair } from "./realm-repair.ts";
import { RealmTracking } from "./realm-tracking.ts";
import { openRedisReadModel } from "./redis-active-read-model.ts";
import { openSharedStore } from "./shared-store.ts";
import { openStoreErrors } from "./store-errors.ts";

type CentreOptions = {
  readonly bus: NatsBus;
  /** Connection to NATS for heartbeats alone, so that a flood of them delays no row. */
  readonly heartbeatBus: NatsBus;
  /** Connection to Redis; undefined when the read model is in memory only. */
  readonly redis: CentreRedis | undefined;
  /** Read models in the port's thread. */
  readonly fed: FedModels;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly mint: () => string;
  readonly forwardTimeoutMs: number;
  readonly historyRetentionMs: number;
};

/** The aggregator without its port: what realms publish, their states, and the forwarder to them. */
export type Centre = ReturnType<typeof openCentre>;

/** Number of stored history records: of all realms together, minimum and maximum of one realm. */
const historyBudget = { all: 500_000, least: 2_000, most: 50_000 } as const;

const historyLengthFor = (realms: number): number =>
  Math.min(historyBudget.most, Math.max(historyBudget.least, Math.floor(historyBudget.all / realms)));

/** Opens the centre in stages: each part is given only parts that exist already. */
export function openCentre(documents: RealmDocuments, options: CentreOptions) {
  const core = openCore(documents, options);
  const { models, realms, status, metrics } = core;
  const inputs = openInputs(core, options);
  const { sharedStore } = inputs;
  const open = (plan: RealmsPlan): ActiveReadModel => openModel(plan, { ...core, ...inputs }, options);
  const forwarder = openSwitchingForwarder(documents, {
    ...{ ...options, followedAgent: realms.freshness.followedAgent, onEnd: metrics.forwarded },
    silentReason: (entry) => realms.silentReason(entry),
  });
  const pruner = openRemovedRowPruner({
    ...options,
    realms: () => [...models.current().plan.keys()],
    provenRows: (realm) => realms.provenRows(realm),
  });
  return {
    /** Opens the read model in the present thread of the port, and fills it. */
    fill: () => models.start(open(models.plan())),
    /** State that the port answers queries with. */
    state: () => stateOf(core),
    /** Names of the realms to which calls can be forwarded. */
    forwardedRealms: () => [...models.plan().keys()],
    forwarder: forwarder.current,
    /** Has the history of a realm in Redis repaired, which cannot be read. */
    repairHistory: (realm: string) => sharedStore?.repairStored(realm, { kind: "history" }),
    dependencies: status.dependencies,
    /** Applies another realms document: reads switch to it as soon as its read model is complete. */
    applyDocuments(changed: RealmDocuments) {
      models.switchTo(open(changed.plan), () => sharedStore?.sweepNow());
      forwarder.switchTo(changed);
      inputs.events.reset();
      sharedStore?.claimNow();
      metrics.configEvaluated(changed.evaluationMs);
      metrics.reloaded(true, options.clock.now());
    },
    onReloadFailed: () => metrics.reloaded(false, options.clock.now()),
    /** Answers all calls that wait for realms as `unavailable`. */
    abandonCalls: forwarder.abandonCalls,
    async close() {
      inputs.close();
      realms.close();
      core.redis?.health.close();
      await Promise.all([models.close(), sharedStore?.close(), pruner.close()]);
      forwarder.close();
    },
  };
}

type Core = ReturnType<typeof openCore>;

/** Opens the read models without a document's, the state of the realms, and what reports of both. */
function openCore(documents: RealmDocuments, options: CentreOptions) {
  const { bus, heartbeatBus, clock, log } = options;
  const models = openReadModels(documents.plan, { clock, log });
  const redis = options.redis && {
    connection: options.redis,
    health: openRedisHealth({ redis: options.redis, clock, log }),
  };
  const status = centreStatus({ models, buses: [bus, heartbeatBus], redis });
  const realms = new RealmTracking(models, { clock, log });
  const metrics = aggregatorMetrics(options.metrics, { bus, heartbeatBus, clock, models, realms, status, redis });
  metrics.configEvaluated(documents.evaluationMs);
  redis?.connection.onCommand(metrics.redisCommand);
  return { models, redis, status, realms, metrics, storeErrors: openStoreErrors(clock) };
}

type Inputs = ReturnType<typeof openInputs>;

/** Opens the consumers of the messages that realms send. */
function openInputs({ models, redis, realms, metrics, storeErrors }: Core, options: CentreOptions) {
  const { bus, clock, log, historyRetentionMs } = options;
  const { liveness, freshness } = realms;
  const repair = openRealmRepair({
    ...{ clock, log, onRound: metrics.repaired },
    realms: () => models.current().plan.keys(),
    isBehind: (realm) => bus.live() !== undefined && realms.isBehind(realm),
    readAgain: (realm) =>
      void models
        .current()
        .readAgain(realm)
        .catch((error: Error) => log.warn({ realm, why: error.message }, "repair: failed")),
  });
  const replies = heartbeatReplies({
    ...{ bus, clock, freshness, wantsRepublication: repair.wantsRepublication },
    evidence: () => models.current().evidence,
    seen: (realm) => liveness.of(realm).seen,
  });
  const store =
    redis &&
    new RedisStore({
      ...{ redis: redis.connection, clock, historyRetentionMs },
      historyLength: () => historyLengthFor(models.current().plan.size),
    });
  const events = ingestEvents({
    ...{ clock, log, liveness, freshness, replies, storeErrors, metrics, store },
    unreachableAfterMs: (realm) => models.plan().get(realm)?.unreachableAfterMs ?? 0,
  });
  const { isListed, realmsToRebuild } = models;
  const stopHeartbeats = listenToHeartbeats({ bus: options.heartbeatBus, clock, isListed, events });
  const sharedStore =
    redis &&
    store &&
    openSharedStore({
      ...{ ...options, mintToken: options.mint, redis: redis.connection, store, metrics, events },
      ...{ isListed, realmsToRebuild, realms: () => [...models.plan().keys()] },
    });
  const close = (): void => {
    stopHeartbeats();
    repair.close();
  };
  return { events, sharedStore, close };
}

/** State of the centre as of now. */
function stateOf({ models, status, realms }: Core): CentreState {
  const { number, plan, toggles, historyIncompleteReason, unreadableHistories } = models.current();
  return {
    model: number,
    realms: realms.views(plan, toggles),
    unavailableReason: status.unavailableReason(),
    historyUnavailableReason: historyIncompleteReason(),
    unreadableHistories: unreadableHistories(),
    historyClaims: realms.historyClaims(),
  };
}

/** Opens a read model that answers queries about the realms of a document. */
function openModel(plan: RealmsPlan, parts: Core & Inputs, options: CentreOptions): ActiveReadModel {
  const { redis, realms, storeErrors, sharedStore, events } = parts;
  const fed = options.fed.open({
    generation: options.mint(),
    labels: new Map([...plan.values()].map(({ name, labels }) => [name, labels])),
    historyRecords: historyLengthFor(plan.size) * plan.size,
  });
  const common = { ...options, plan, fed };
  if (redis === undefined || sharedStore === undefined) return openMemoryReadModel({ ...common, events });
  return openRedisReadModel({
    ...{ ...common, redis: redis.connection, storeErrors, liveness: realms.liveness },
    readAgain: sharedStore.readAgain,
    onStateChange: sharedStore.checkNow,
    onLoss: sharedStore.rebuildRealm,
    onDamage: sharedStore.repairStored,
  });
}
