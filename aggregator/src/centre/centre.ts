import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { type Forwarder, openForwarder } from "../forward/forwarder.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import type { ActiveReadModel } from "./active-read-model.ts";
import { aggregatorMetrics } from "./aggregator-metrics.ts";
import type { RealmDocuments } from "./documents.ts";
import { type ModelEvidence, openFreshnessTracker } from "./freshness-tracker.ts";
import { gatedReadModel } from "./gated-read-model.ts";
import { heartbeatReplies } from "./heartbeat-replies.ts";
import { ingestEvents, type StoreErrors } from "./ingest-events.ts";
import { openLivenessTracker } from "./liveness-tracker.ts";
import { openMemoryReadModel } from "./memory-active-read-model.ts";
import { openRealmRepair } from "./realm-repair.ts";
import { realmViewsOf } from "./realm-views.ts";
import { openRedisReadModel } from "./redis-active-read-model.ts";
import { openSharedStore, type SharedStore } from "./shared-store.ts";

export type CentreOptions = {
  readonly bus: NatsBus;
  /** Connection to Redis; undefined when the read model is in memory only. */
  readonly redis: RedisConnection | undefined;
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
const switchRetryMs = 50;

const historyLengthFor = (realms: number): number =>
  Math.min(historyBudget.most, Math.max(historyBudget.least, Math.floor(historyBudget.all / realms)));

export function openCentre(documents: RealmDocuments, options: CentreOptions): Centre {
  const { bus, redis, clock, log } = options;
  const liveness = openLivenessTracker(clock, log);
  const storeErrors: StoreErrors = new Map();
  const evidence = (): ModelEvidence => current.evidence;
  const freshness = openFreshnessTracker({ clock, log, evidence });
  const realmViews = realmViewsOf({ liveness, freshness, model: () => current });
  const metrics = aggregatorMetrics(options.metrics, {
    plan: () => plan(),
    liveness,
    realmViews: () => realmViews(plan(), () => undefined),
    natsConnected: () => bus.live() !== undefined,
    natsConnections: () => bus.connections(),
    redisConnected: redis && (() => redis.unavailableReason() === ""),
    modelWhole: () => unavailableReason() === undefined,
    objects: () => current.objectCount(),
  });
  redis?.onCommand(metrics.redisCommand);
  const repair = openRealmRepair({
    clock,
    log,
    realms: () => current.plan.keys(),
    isBehind(realm) {
      const entry = current.plan.get(realm);
      const isDue = entry !== undefined && liveness.isReachable(entry) && !current.isRebuilding(realm);
      return isDue && bus.live() !== undefined && freshness.isBehind(realm);
    },
    readAgain: (realm) =>
      void current.readAgain(realm).catch((error: Error) => log.warn({ realm, why: error.message }, "repair: failed")),
    onRound: (realm, outcome) => metrics.repaired(realm, outcome),
  });
  const replies = heartbeatReplies({ bus, clock, evidence, freshness, wantsRepublication: repair.wantsRepublication });
  const events = ingestEvents({
    ...{ clock, log, liveness, freshness, replies, storeErrors, metrics },
    unreachableAfterMs: (realm) => plan().get(realm)?.unreachableAfterMs ?? 0,
    sharedStore: () => sharedStore,
  });
  const isListed = (realm: string): boolean => current.plan.has(realm) || (next?.plan.has(realm) ?? false);
  const sharedStore: SharedStore | undefined =
    redis &&
    openSharedStore({
      ...options,
      mintToken: options.mint,
      redis,
      metrics,
      events,
      isListed,
      historyLength: () => historyLengthFor(current.plan.size),
      realmsToRebuild: async () => [
        ...new Set([...(await current.realmsToRebuild()), ...((await next?.realmsToRebuild()) ?? [])]),
      ],
      realms: () => [...plan().keys()],
    });

  const ending = new AbortController();
  let current = readModelFor(documents);
  let next: ActiveReadModel | undefined;
  let forwarder = forwarderFor(documents);
  let cancelSwitch = (): void => {};
  const stopWatch = liveness.logChanges(() => plan());

  return {
    model: gatedReadModel({
      model: () => current.model,
      unavailableReason,
      historyUnavailableReason: (realm) => current.historyIncompleteReason(realm),
    }),
    forwarder: () => forwarder,
    unavailableReason,
    dependencies,
    applyDocuments(changed) {
      void next?.close();
      next = readModelFor(changed);
      const previous = forwarder;
      forwarder = forwarderFor(changed);
      // Running calls may still be answered.
      clock.after(options.forwardTimeoutMs, () => previous.close());
      events.reset();
      metrics.reloaded(true);
      switchWhenComplete();
    },
    onReloadFailed: () => metrics.reloaded(false),
    abandonCalls: () => ending.abort(),
    async close() {
      cancelSwitch();
      stopWatch();
      repair.close();
      freshness.close();
      await Promise.all([current.close(), next?.close(), sharedStore?.close()]);
      forwarder.close();
    },
  };

  function plan() {
    return (next ?? current).plan;
  }
  function readModelFor({ plan: of }: RealmDocuments): ActiveReadModel {
    const common = { ...options, plan: of, liveness, realmViews, generation: options.mint() };
    if (redis && sharedStore)
      return openRedisReadModel({
        ...common,
        redis,
        storeErrors,
        readAgain: sharedStore.readAgain,
        onStateChange: sharedStore.checkNow,
        onLoss: sharedStore.rebuildRealm,
      });
    return openMemoryReadModel({ ...common, historyLength: historyLengthFor(of.size), events });
  }
  function forwarderFor({ plan: realms, tokens }: RealmDocuments): Forwarder {
    const unreachableReason = (realm: string): string | undefined => {
      const entry = realms.get(realm);
      const isHeard = liveness.of(realm).heartbeatAtMs !== undefined;
      return entry && isHeard ? liveness.unreachableReason(entry) : undefined;
    };
    return openForwarder({
      realms,
      tokens,
      bus,
      clock,
      unreachableReason,
      clockSkewMs: (realm) => liveness.of(realm).clockSkewMs,
      ending: ending.signal,
      onEnd: metrics.forwarded,
    });
  }
  /** Switches to the next read model when it is complete, or the current one is incomplete too. */
  function switchWhenComplete(): void {
    cancelSwitch();
    if (next === undefined) return;
    if (next.incompleteReason() !== undefined && current.incompleteReason() === undefined) {
      cancelSwitch = clock.after(switchRetryMs, switchWhenComplete);
      return;
    }
    const previous = current;
    [current, next] = [next, undefined];
    void previous.close();
    log.info({ realms: current.plan.size }, "realms document: reads use the new one");
  }
  function unavailableReason(): string | undefined {
    if (current.canAnswer()) return undefined;
    const away = redis?.unavailableReason() ?? "";
    if (away !== "") return away;
    return bus.live() === undefined ? `NATS is away: ${bus.connectionError()}` : current.incompleteReason();
  }
  function dependencies(): readonly DependencyStatus[] {
    const nats = {
      name: "nats",
      ok: bus.live() !== undefined,
      needed: true,
      detail: bus.connectionError() || "connected",
    };
    const incomplete = current.incompleteReason();
    const model = {
      name: "read_model",
      ok: incomplete === undefined,
      needed: true,
      detail: incomplete ?? `${current.objectCount()} objects`,
    };
    if (redis === undefined) return [nats, model];
    const detail = redis.unavailableReason();
    return [nats, { name: "redis", ok: detail === "", needed: true, detail: detail || "connected" }, model];
  }
}
