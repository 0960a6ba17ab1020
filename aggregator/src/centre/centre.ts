import type { Dependency } from "@realmwatch/shared/api/probe-pages";
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
import { openMemoryReading } from "./memory-active-read-model.ts";
import type { Reading } from "./active-read-model.ts";
import { openRedisReading } from "./redis-active-read-model.ts";
import { openSharedStore, type SharedStore } from "./shared-store.ts";
import { openSightings } from "./liveness-tracker.ts";

export type CentreParts = {
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
  trouble(): string | undefined;
  dependencies(): readonly Dependency[];
  /** Goes over to another realms document: reads follow as soon as what it needs is there. */
  adopt(documents: RealmDocuments): void;
  reloadFailed(): void;
  /** Answers the calls that are still on their way to realms, as `unavailable`. */
  giveUpCalls(): void;
  close(): Promise<void>;
};

/** History records kept of all realms together, of one at least and of one at most. */
const historyBudget = { all: 500_000, least: 2_000, most: 50_000 } as const;
const settleEveryMs = 50;

const historyLengthFor = (realms: number): number =>
  Math.min(historyBudget.most, Math.max(historyBudget.least, Math.floor(historyBudget.all / realms)));

export function openCentre(documents: RealmDocuments, parts: CentreParts): Centre {
  const { bus, redis, clock, log } = parts;
  const sightings = openSightings(clock, log);
  const metrics = aggregatorMetrics(parts.metrics, {
    plan: () => plan(),
    sightings,
    natsConnected: () => bus.live() !== undefined,
    natsConnections: () => bus.connections(),
    redisConnected: redis && (() => redis.trouble() === ""),
    modelWhole: () => trouble() === undefined,
    objects: () => current.size(),
  });
  redis?.onCommand(metrics.redisCommand);
  const events = ingestEvents({ ...parts, sightings, metrics, shared: () => shared });
  const isListed = (realm: string): boolean => current.plan.has(realm) || (next?.plan.has(realm) ?? false);
  const shared: SharedStore | undefined =
    redis &&
    openSharedStore({
      ...parts,
      redis,
      metrics,
      events,
      isListed,
      historyLength: () => historyLengthFor(current.plan.size),
      missing: async () => [...new Set([...(await current.missing()), ...((await next?.missing()) ?? [])])],
      realms: () => [...plan().keys()],
    });

  const ending = new AbortController();
  let current = openReading(documents);
  let next: Reading | undefined;
  let forwarder = openWays(documents);
  let cancelSettle = (): void => {};
  const stopWatch = sightings.watch(() => plan());

  return {
    model: gatedReadModel({
      model: () => current.model,
      trouble,
      historyTrouble: (realm) => current.historyHoles(realm),
    }),
    forwarder: () => forwarder,
    trouble,
    dependencies,
    adopt(changed) {
      void next?.close();
      next = openReading(changed);
      const before = forwarder;
      forwarder = openWays(changed);
      // Calls that are under way may still be answered.
      clock.after(parts.forwardTimeoutMs, () => before.close());
      events.reset();
      metrics.reloaded(true);
      settle();
    },
    reloadFailed: () => metrics.reloaded(false),
    giveUpCalls: () => ending.abort(),
    async close() {
      cancelSettle();
      stopWatch();
      await Promise.all([current.close(), next?.close(), shared?.close()]);
      forwarder.close();
    },
  };

  function plan() {
    return (next ?? current).plan;
  }
  function openReading({ plan: of }: RealmDocuments): Reading {
    const common = { ...parts, plan: of, sightings, generation: parts.mint() };
    if (redis && shared) return openRedisReading({ ...common, redis, onState: shared.nudge, onLoss: shared.reread });
    return openMemoryReading({ ...common, historyLength: historyLengthFor(of.size), events });
  }
  function openWays({ plan: realms, tokens }: RealmDocuments): Forwarder {
    const silent = (realm: string): string | undefined => {
      const entry = realms.get(realm);
      return entry && sightings.silent(entry);
    };
    return openForwarder({ realms, tokens, bus, clock, silent, ending: ending.signal, onEnd: metrics.forwarded });
  }
  /** The next reading takes over once it is as good as the current one. */
  function settle(): void {
    cancelSettle();
    if (next === undefined) return;
    if (next.holes() !== undefined && current.holes() === undefined) {
      cancelSettle = clock.after(settleEveryMs, settle);
      return;
    }
    const before = current;
    [current, next] = [next, undefined];
    void before.close();
    log.info({ realms: current.plan.size }, "realms document: reads follow the new one");
  }
  function trouble(): string | undefined {
    const away = redis?.trouble() ?? "";
    if (away !== "") return away;
    return bus.live() === undefined ? `NATS is away: ${bus.trouble()}` : current.holes();
  }
  function dependencies(): readonly Dependency[] {
    const nats = { name: "nats", ok: bus.live() !== undefined, needed: true, detail: bus.trouble() || "connected" };
    const holes = current.holes();
    const model = {
      name: "read_model",
      ok: holes === undefined,
      needed: true,
      detail: holes ?? `${current.size()} objects`,
    };
    if (redis === undefined) return [nats, model];
    const detail = redis.trouble();
    return [nats, { name: "redis", ok: detail === "", needed: true, detail: detail || "connected" }, model];
  }
}
