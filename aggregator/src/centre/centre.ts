import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { ReadModel } from "@realmwatch/shared/read-model/read-model";
import { type Forwarder, openForwarder } from "../forward/forwarder.ts";
import type { RedisConnection } from "../redis/redis-connection.ts";
import { aggregatorMetrics } from "./aggregator-metrics.ts";
import type { RealmDocuments } from "./documents.ts";
import { gatedReadModel } from "./gated-read-model.ts";
import { ingestEvents } from "./ingest-events.ts";
import { openMemoryReadModel } from "./memory-active-read-model.ts";
import type { ActiveReadModel } from "./active-read-model.ts";
import { openRedisReadModel } from "./redis-active-read-model.ts";
import { openSharedStore, type SharedStore } from "./shared-store.ts";
import { openLivenessTracker } from "./liveness-tracker.ts";

export type CentreOptions = {
  readonly bus: NatsBus;
  /** Undefined where the read model lives in memory alone. */
  readonly redis: RedisConnection | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly mint: () => string;
  readonly forwardTimeoutMs: number;
  readonly historyRetentionMs: number;
};

/** Everything between the wire and the door: what is known of all realms, and the ways to them. */
export type Centre = {
  /** Answers `unavailable` while it may have holes. */
  readonly model: ReadModel;
  forwarder(): Forwarder;
  /** Why neither reads nor commands can be served now; undefined where they can. */
  unavailableReason(): string | undefined;
  dependencies(): readonly DependencyStatus[];
  /** Goes over to another realms document: reads follow as soon as what it needs is there. */
  applyDocuments(documents: RealmDocuments): void;
  onReloadFailed(): void;
  /** Answers the calls that are still on their way to realms, as `unavailable`. */
  abandonCalls(): void;
  close(): Promise<void>;
};

/** History records kept of all realms together, of one at least and of one at most. */
const historyBudget = { all: 500_000, least: 2_000, most: 50_000 } as const;
const switchRetryMs = 50;

const historyLengthFor = (realms: number): number =>
  Math.min(historyBudget.most, Math.max(historyBudget.least, Math.floor(historyBudget.all / realms)));

export function openCentre(documents: RealmDocuments, parts: CentreOptions): Centre {
  const { bus, redis, clock, log } = parts;
  const liveness = openLivenessTracker(clock, log);
  const metrics = aggregatorMetrics(parts.metrics, {
    plan: () => plan(),
    liveness,
    natsConnected: () => bus.live() !== undefined,
    natsConnections: () => bus.connections(),
    redisConnected: redis && (() => redis.unavailableReason() === ""),
    modelWhole: () => unavailableReason() === undefined,
    objects: () => current.objectCount(),
  });
  redis?.onCommand(metrics.redisCommand);
  const events = ingestEvents({ ...parts, liveness, metrics, shared: () => shared });
  const isListed = (realm: string): boolean => current.plan.has(realm) || (next?.plan.has(realm) ?? false);
  const shared: SharedStore | undefined =
    redis &&
    openSharedStore({
      ...parts,
      mintToken: parts.mint,
      redis,
      metrics,
      events,
      isListed,
      historyLength: () => historyLengthFor(current.plan.size),
      realmsToRebuild: async () => [...new Set([...(await current.realmsToRebuild()), ...((await next?.realmsToRebuild()) ?? [])])],
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
      const before = forwarder;
      forwarder = forwarderFor(changed);
      // Calls that are under way may still be answered.
      clock.after(parts.forwardTimeoutMs, () => before.close());
      events.reset();
      metrics.reloaded(true);
      switchWhenComplete();
    },
    onReloadFailed: () => metrics.reloaded(false),
    abandonCalls: () => ending.abort(),
    async close() {
      cancelSwitch();
      stopWatch();
      await Promise.all([current.close(), next?.close(), shared?.close()]);
      forwarder.close();
    },
  };

  function plan() {
    return (next ?? current).plan;
  }
  function readModelFor({ plan: of }: RealmDocuments): ActiveReadModel {
    const common = { ...parts, plan: of, liveness, generation: parts.mint() };
    if (redis && shared) return openRedisReadModel({ ...common, redis, onStateChange: shared.checkNow, onLoss: shared.rebuildRealm });
    return openMemoryReadModel({ ...common, historyLength: historyLengthFor(of.size), events });
  }
  function forwarderFor({ plan: realms, tokens }: RealmDocuments): Forwarder {
    const unreachableReason = (realm: string): string | undefined => {
      const entry = realms.get(realm);
      return entry && liveness.unreachableReason(entry);
    };
    return openForwarder({ realms, tokens, bus, clock, unreachableReason, ending: ending.signal, onEnd: metrics.forwarded });
  }
  /** The next reading takes over once it is as good as the current one. */
  function switchWhenComplete(): void {
    cancelSwitch();
    if (next === undefined) return;
    if (next.incompleteReason() !== undefined && current.incompleteReason() === undefined) {
      cancelSwitch = clock.after(switchRetryMs, switchWhenComplete);
      return;
    }
    const before = current;
    [current, next] = [next, undefined];
    void before.close();
    log.info({ realms: current.plan.size }, "realms document: reads follow the new one");
  }
  function unavailableReason(): string | undefined {
    const away = redis?.unavailableReason() ?? "";
    if (away !== "") return away;
    return bus.live() === undefined ? `NATS is away: ${bus.connectionError()}` : current.incompleteReason();
  }
  function dependencies(): readonly DependencyStatus[] {
    const nats = { name: "nats", ok: bus.live() !== undefined, needed: true, detail: bus.connectionError() || "connected" };
    const holes = current.incompleteReason();
    const model = {
      name: "read_model",
      ok: holes === undefined,
      needed: true,
      detail: holes ?? `${current.objectCount()} objects`,
    };
    if (redis === undefined) return [nats, model];
    const detail = redis.unavailableReason();
    return [nats, { name: "redis", ok: detail === "", needed: true, detail: detail || "connected" }, model];
  }
}
