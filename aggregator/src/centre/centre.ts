import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { type Forwarder, openForwarder } from "../forward/forwarder.ts";
import { listenToHeartbeats } from "../ingest/heartbeat-listener.ts";
import { openRemovedRowPruner } from "../ingest/prune-removed.ts";
import type { HistoryClaim } from "../realms/history-claim.ts";
import { openRedisHealth } from "../redis/health/redis-health.ts";
import type { CentreRedis } from "../redis/ownership/centre-redis.ts";
import { openRedisStore } from "../redis/redis-store.ts";
import type { ActiveReadModel } from "./active-read-model.ts";
import { aggregatorMetrics } from "./aggregator-metrics.ts";
import { centreStatus } from "./centre-status.ts";
import type { RealmDocuments } from "./documents.ts";
import { openFreshnessTracker } from "./freshness-tracker.ts";
import { gatedReadModel } from "./gated-read-model.ts";
import { heartbeatReplies } from "./heartbeat-replies.ts";
import { ingestEvents } from "./ingest-events.ts";
import { openLivenessTracker } from "./liveness-tracker.ts";
import { openMemoryReadModel } from "./memory-active-read-model.ts";
import type { ModelEvidence } from "./model-evidence.ts";
import { openReadModels } from "./read-models.ts";
import { openRealmRepair } from "./realm-repair.ts";
import { realmViewsOf } from "./realm-views.ts";
import { openRedisReadModel } from "./redis-active-read-model.ts";
import { redisProblemsOf } from "./redis-status.ts";
import { openSharedStore } from "./shared-store.ts";
import { openStoreErrors } from "./store-errors.ts";

type CentreOptions = {
  readonly bus: NatsBus;
  /** Connection to NATS for heartbeats alone, so that a flood of them delays no row. */
  readonly heartbeatBus: NatsBus;
  /** Connection to Redis; undefined when the read model is in memory only. */
  readonly redis: CentreRedis | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly mint: () => string;
  readonly forwardTimeoutMs: number;
  readonly historyRetentionMs: number;
};

/** The aggregator without its server: the read model of all realms, and the forwarder to them. */
export type Centre = {
  /** Read model that answers `unavailable` while it may be incomplete. */
  readonly model: ReadModel;
  forwarder(): Forwarder;
  /** History records that each realm has; undefined for a realm that is not heard now. */
  historyClaims(): ReadonlyMap<string, HistoryClaim | undefined>;
  /** Reason why neither reads nor commands can be served now; undefined when they can. */
  unavailableReason(): string | undefined;
  dependencies(): readonly DependencyStatus[];
  /** Applies another realms document: reads switch to it as soon as its read model is complete. */
  applyDocuments(documents: RealmDocuments): void;
  onReloadFailed(): void;
  /** Answers all calls that wait for realms as `unavailable`. */
  abandonCalls(): void;
  close(): Promise<void>;
};

/** Number of stored history records: of all realms together, minimum and maximum of one realm. */
const historyBudget = { all: 500_000, least: 2_000, most: 50_000 } as const;

const historyLengthFor = (realms: number): number =>
  Math.min(historyBudget.most, Math.max(historyBudget.least, Math.floor(historyBudget.all / realms)));

/** Opens the centre in stages: each part is given only parts that exist already. */
export function openCentre(documents: RealmDocuments, options: CentreOptions): Centre {
  const { bus, heartbeatBus, clock, log, mint } = options;
  const models = openReadModels(documents.plan, { clock, log });
  const redis = options.redis && {
    connection: options.redis,
    health: openRedisHealth({ redis: options.redis, clock, log }),
  };
  const status = centreStatus({ models, buses: [bus, heartbeatBus], redis });

  // State of the realms beside their rows.
  const liveness = openLivenessTracker(clock, log);
  const storeErrors = openStoreErrors(clock);
  const evidence = (): ModelEvidence => models.current().evidence;
  const freshness = openFreshnessTracker({ clock, log, evidence });
  const realmViews = realmViewsOf({ liveness, freshness, model: models.current });
  let generation = 0;
  const metrics = aggregatorMetrics(options.metrics, {
    plan: models.plan,
    liveness,
    realmViews: () => realmViews(models.plan(), () => undefined),
    natsConnected: () => bus.live() !== undefined && heartbeatBus.live() !== undefined,
    natsConnections: () => bus.connections(),
    natsLoginRefused: () => bus.loginRefused() || heartbeatBus.loginRefused(),
    generation: () => generation,
    startedAtMs: clock.now(),
    clock,
    redis: redis && {
      connected: () => redis.connection.unavailableReason() === "",
      problems: () => redisProblemsOf(status.redisInputs()),
      memoryUsedRatio: redis.health.memoryUsedRatio,
    },
    modelWhole: () => status.unavailableReason() === undefined,
    objects: () => models.current().objectCount(),
  });
  metrics.configEvaluated(documents.evaluationMs);
  redis?.connection.onCommand(metrics.redisCommand);

  // Consumers of the messages that realms send.
  const repair = openRealmRepair({
    clock,
    log,
    realms: () => models.current().plan.keys(),
    isBehind(realm) {
      const { plan, isRebuilding } = models.current();
      const entry = plan.get(realm);
      const isDue = entry !== undefined && liveness.isReachable(entry) && !isRebuilding(realm);
      return isDue && bus.live() !== undefined && freshness.isBehind(realm);
    },
    readAgain: (realm) =>
      void models
        .current()
        .readAgain(realm)
        .catch((error: Error) => log.warn({ realm, why: error.message }, "repair: failed")),
    onRound: (realm, outcome) => metrics.repaired(realm, outcome),
  });
  const replies = heartbeatReplies({
    ...{ bus, clock, evidence, freshness, wantsRepublication: repair.wantsRepublication },
    seen: (realm) => liveness.of(realm).seen,
  });
  const store =
    redis &&
    openRedisStore({
      ...{ redis: redis.connection, clock, historyRetentionMs: options.historyRetentionMs },
      historyLength: () => historyLengthFor(models.current().plan.size),
    });
  const events = ingestEvents({
    ...{ clock, log, liveness, freshness, replies, storeErrors, metrics, store },
    unreachableAfterMs: (realm) => models.plan().get(realm)?.unreachableAfterMs ?? 0,
  });
  const stopHeartbeats = listenToHeartbeats({ bus: heartbeatBus, clock, isListed: models.isListed, events });
  const sharedStore =
    redis &&
    store &&
    openSharedStore({
      ...{ ...options, mintToken: mint, redis: redis.connection, store, metrics, events },
      isListed: models.isListed,
      realmsToRebuild: models.realmsToRebuild,
      realms: () => [...models.plan().keys()],
    });

  // Read models that answer queries.
  const openModel = ({ plan }: RealmDocuments): ActiveReadModel => {
    generation += 1;
    const common = { ...options, plan, liveness, realmViews, generation: mint() };
    if (redis === undefined || sharedStore === undefined)
      return openMemoryReadModel({ ...common, historyLength: historyLengthFor(plan.size), events });
    return openRedisReadModel({
      ...{ ...common, redis: redis.connection, storeErrors },
      readAgain: sharedStore.readAgain,
      onStateChange: sharedStore.checkNow,
      onLoss: sharedStore.rebuildRealm,
      onDamage: sharedStore.repairStored,
    });
  };
  models.start(openModel(documents));
  const ending = new AbortController();
  const forwarderFor = ({ plan: realms, tokens }: RealmDocuments): Forwarder =>
    openForwarder({
      ...{ realms, tokens, bus, clock, ending: ending.signal, onEnd: metrics.forwarded },
      unreachableReason(realm) {
        const entry = realms.get(realm);
        // A heartbeat that only the store holds may be old because no aggregator ran: the realm may live.
        const { isReceivedHere } = liveness.of(realm);
        return entry && isReceivedHere ? liveness.unreachableReason(entry) : undefined;
      },
      followedAgent: freshness.followedAgent,
    });
  let forwarder = forwarderFor(documents);
  const pruner = openRemovedRowPruner({
    ...{ bus, clock, log },
    realms: () => [...models.current().plan.keys()],
    provenRows(realm) {
      const { plan, holds } = models.current();
      const view = realmViews(plan, () => undefined).find(({ name }) => name === realm);
      if (view?.freshness !== "current" || view.rowsHeld !== view.rowsExpected) return undefined;
      return { holds: (key) => holds(realm, key), epoch: evidence().newest(realm).epoch };
    },
  });
  const stopWatch = liveness.logChanges(models.plan);

  return {
    model: gatedReadModel({
      model: () => models.current().model,
      unavailableReason: status.unavailableReason,
      historyUnavailableReason: (realm) => models.current().historyIncompleteReason(realm),
    }),
    forwarder: () => forwarder,
    historyClaims: () =>
      new Map(
        [...models.current().plan.values()].map((entry) => [
          entry.name,
          liveness.isReachable(entry) ? freshness.historyClaim(entry.name) : undefined,
        ]),
      ),
    unavailableReason: status.unavailableReason,
    dependencies: status.dependencies,
    applyDocuments(changed) {
      models.switchTo(openModel(changed), () => sharedStore?.sweepNow());
      const previous = forwarder;
      forwarder = forwarderFor(changed);
      // Running calls may still be answered.
      clock.after(options.forwardTimeoutMs, () => previous.close());
      events.reset();
      sharedStore?.claimNow();
      metrics.configEvaluated(changed.evaluationMs);
      metrics.reloaded(true, clock.now());
    },
    onReloadFailed: () => metrics.reloaded(false, clock.now()),
    abandonCalls: () => ending.abort(),
    async close() {
      stopHeartbeats();
      stopWatch();
      repair.close();
      freshness.close();
      redis?.health.close();
      await Promise.all([models.close(), sharedStore?.close(), pruner.close()]);
      forwarder.close();
    },
  };
}
