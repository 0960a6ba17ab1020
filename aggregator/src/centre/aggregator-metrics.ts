import type { Clock } from "@realmwatch/shared/model/clock";
import { type RealmView, realmFreshnesses } from "@realmwatch/shared/model/realm";
import { documentMetrics } from "@realmwatch/shared/platform/metrics/document-metrics";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { hashText } from "@realmwatch/shared/text/hash";
import type { EndedForward } from "../forward/forwarder.ts";
import type { Rejection } from "../ingest/decode-message.ts";
import { lastSeenAtMs } from "../realms/realm-liveness.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import { redisProblemKinds } from "../redis/health/redis-health.ts";
import type { CentreStatus, WatchedRedis } from "./centre-status.ts";
import type { ReadModels } from "./read-models.ts";
import type { RealmTracking } from "./realm-tracking.ts";

/** Counters and histograms of the aggregator. Label values come from the realms document and fixed sets. */
export type AggregatorMetrics = ReturnType<typeof aggregatorMetrics>;

/** Parts whose state is read at each scrape. */
type AggregatorReadings = {
  readonly bus: NatsBus;
  readonly heartbeatBus: NatsBus;
  readonly clock: Clock;
  readonly models: ReadModels;
  readonly realms: RealmTracking;
  readonly status: CentreStatus;
  /** Undefined without Redis. */
  readonly redis: WatchedRedis | undefined;
};

export function aggregatorMetrics(metrics: Metrics, readings: AggregatorReadings) {
  registerRealmMetrics(metrics, readings);
  registerNatsMetrics(metrics, readings);
  registerModelMetrics(metrics, readings);
  if (readings.redis) registerRedisMetrics(metrics, readings.redis, readings.status);
  const redisSeconds = metrics.histogram({
    name: "redis_command_seconds",
    help: "Duration of Redis commands, without those of requests.",
    buckets: [0.0005, 0.002, 0.01, 0.05, 0.25, 1, 2],
  });
  /** Name of a listed realm, empty for another one, so that senders cannot add series. */
  const listed = (realm: string): string => (readings.models.plan().has(realm) ? realm : "");
  return {
    ...ingestMetrics(metrics, listed),
    ...forwardMetrics(metrics),
    ...repairMetrics(metrics, listed),
    ...realmsDocumentMetrics(metrics, readings),
    redisCommand: (seconds: number) => redisSeconds.observe(seconds),
  };
}

function registerNatsMetrics(metrics: Metrics, { bus, heartbeatBus }: AggregatorReadings): void {
  const buses = [bus, heartbeatBus];
  metrics.observableCounters({
    nats_reconnects_total: ["Connections to NATS after the first one.", () => Math.max(0, bus.connections() - 1)],
  });
  metrics.observableGauges({
    nats_connected: [
      "1 while NATS is connected, also for heartbeats.",
      () => Number(buses.every((each) => each.live() !== undefined)),
    ],
    nats_connections: ["Number of connections to NATS since the start.", bus.connections],
    nats_login_refused: ["1 while NATS refuses the login.", () => Number(buses.some((each) => each.loginRefused()))],
  });
}

function registerModelMetrics(metrics: Metrics, { models, status }: AggregatorReadings): void {
  metrics.observableGauges({
    readmodel_generation: [
      "Number of the newest read model: 1 at the start, one more for each realms document and each restart of the port since.",
      models.generation,
    ],
    read_model_whole: ["1 while the read model is complete.", () => Number(status.unavailableReason() === undefined)],
    read_model_objects: ["Objects in the read model.", () => models.current().objectCount()],
  });
}

type Listed = (realm: string) => string;

function ingestMetrics(metrics: Metrics, listed: Listed) {
  const counted = metrics.counters({
    ingest_rejected_total: ["Messages that were rejected.", "realm", "reason"],
    ingest_unlisted_total: ["Messages of unlisted realms."],
    ingest_rows_total: ["Rows written, one for each object and batch.", "realm"],
    ingest_records_total: ["History records written.", "realm"],
    realm_gaps_total: ["Gaps in the history of realms: records that an agent removed before it could publish them."],
  });
  const appliedSeq = metrics.gauge({
    name: "realm_applied_seq",
    help: "Number of a realm's newest history record that this aggregator wrote.",
    labels: ["realm"],
  });
  const appliedSeqs = new Map<string, number>();
  return {
    rejected: ({ realm, reason }: Rejection) => counted.ingest_rejected_total.inc({ realm: listed(realm), reason }),
    unlisted: () => counted.ingest_unlisted_total.inc(),
    written({ realm: name, changes, records: added }: RealmWrite) {
      const realm = listed(name);
      if (changes.length > 0) counted.ingest_rows_total.inc({ realm }, changes.length);
      if (added.length === 0) return;
      counted.ingest_records_total.inc({ realm }, added.length);
      counted.realm_gaps_total.inc(added.filter(({ type }) => type === "gap").length);
      const newest = added.reduce((seq, record) => Math.max(seq, record.seq), appliedSeqs.get(realm) ?? 0);
      appliedSeqs.set(realm, newest);
      appliedSeq.set({ realm }, newest);
    },
  };
}

function forwardMetrics(metrics: Metrics) {
  const forwards = metrics.counter({
    name: "forward_total",
    help: "Commands forwarded, by result code.",
    labels: ["realm", "code"],
  });
  const forwardSeconds = metrics.histogram({
    name: "forward_duration_seconds",
    help: "Duration of forwarded commands.",
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  });
  return {
    forwarded({ realm, code, seconds }: EndedForward) {
      forwards.inc({ realm, code });
      forwardSeconds.observe(seconds);
    },
  };
}

function repairMetrics(metrics: Metrics, listed: Listed) {
  const { realm_resyncs_total: resyncs, ...counted } = metrics.counters({
    realm_resyncs_total: ["Times that the rows of a realm were read again from the streams, by reason.", "reason"],
    realm_repairs_total: [
      "Repairs of realms whose rows differed from what they had published, by outcome.",
      "realm",
      "outcome",
    ],
    redis_damage_repairs_total: ["Repairs of data in Redis that could not be read or was incomplete.", "realm"],
  });
  for (const reason of ["store_lost", "incomplete", "behind"]) resyncs.inc({ reason }, 0);
  return {
    /** Counts a rebuild of a realm from the streams. */
    rebuilt: (reason: "store_lost" | "incomplete") => resyncs.inc({ reason }),
    repaired(realm: string, outcome: "started" | "repaired" | "failed") {
      counted.realm_repairs_total.inc({ realm, outcome });
      if (outcome === "started") resyncs.inc({ reason: "behind" });
    },
    /** Counts a repair of a realm's data in Redis. */
    damageRepaired: (realm: string) => counted.redis_damage_repairs_total.inc({ realm: listed(realm) }),
  };
}

function realmsDocumentMetrics(metrics: Metrics, { models: { plan }, clock }: AggregatorReadings) {
  metrics.observableGauges({
    config_objects: [
      "Entries of the running realms document by kind.",
      () => [{ labels: { kind: "realm" }, value: plan().size }],
      "kind",
    ],
    config_hash: [
      "Number that the running realms document determines; equal documents have equal numbers.",
      () => Number.parseInt(hashText(JSON.stringify([...plan().values()])).slice(0, 12), 16),
    ],
  });
  const { loaded, evaluated } = documentMetrics(metrics, "realms document");
  loaded(true, clock.now());
  return {
    reloaded: loaded,
    /** Notes how long it took to read, evaluate and check a realms document that was loaded, ms. */
    configEvaluated: evaluated,
  };
}

function registerRealmMetrics(metrics: Metrics, { models, realms, clock }: AggregatorReadings): void {
  const { plan } = models;
  const { liveness } = realms;
  const realmViews = (): readonly RealmView[] => realms.views(plan(), () => undefined);
  const byRealm = (read: (view: RealmView) => number) => () =>
    realmViews().map((view) => ({ labels: { realm: view.name }, value: read(view) }));
  metrics.observableGauges({
    realm_lag_seconds: [
      "Time since which rows of a realm are missing or old; 0 when none are, absent when the realm was never seen.",
      () =>
        realmViews().flatMap(({ name: realm, lastSeenAtMs, behindSinceMs = Number.POSITIVE_INFINITY }) =>
          lastSeenAtMs === undefined
            ? []
            : [{ labels: { realm }, value: Math.max(0, clock.now() - behindSinceMs) / 1000 }],
        ),
      "realm",
    ],
    realm_reachable: ["1 while a realm's heartbeats arrive.", byRealm(({ reachable }) => Number(reachable)), "realm"],
    realm_freshness: [
      "1 for the present freshness of a realm, 0 for the others.",
      () =>
        realmViews().flatMap(({ name: realm, freshness: present }) =>
          realmFreshnesses.map((freshness) => ({ labels: { realm, freshness }, value: Number(freshness === present) })),
        ),
      "realm",
      "freshness",
    ],
    realm_rows_missing: [
      "Rows that a realm has published and the aggregator does not hold; negative for rows too many.",
      byRealm(({ rowsExpected, rowsHeld }) => rowsExpected - rowsHeld),
      "realm",
    ],
    realm_last_seen_timestamp_seconds: [
      "Time at which a realm was last seen, Unix time; absent when it was never seen.",
      () =>
        [...plan().keys()].flatMap((realm) => {
          const seenMs = lastSeenAtMs(liveness.of(realm));
          return seenMs === undefined ? [] : [{ labels: { realm }, value: seenMs / 1000 }];
        }),
      "realm",
    ],
  });
}

function registerRedisMetrics(metrics: Metrics, { connection, health }: WatchedRedis, status: CentreStatus): void {
  metrics.observableGauges({
    redis_connected: ["1 while Redis can be used.", () => Number(connection.unavailableReason() === "")],
    redis_memory_used_ratio: [
      "Greatest part of its maxmemory that a Redis server uses; 0 without a limit.",
      health.memoryUsedRatio,
    ],
    redis_problem: [
      "1 for each present problem of Redis, 0 for the others.",
      () => {
        const present = new Set(status.redisProblems().map(({ kind }) => kind));
        return redisProblemKinds.map((problem) => ({ labels: { problem }, value: Number(present.has(problem)) }));
      },
      "problem",
    ],
  });
}
