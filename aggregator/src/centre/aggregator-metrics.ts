import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { EndedForward } from "../forward/forwarder.ts";
import type { Rejection } from "../ingest/decode-message.ts";
import { lastSeenAtMs } from "../realms/realm-liveness.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import type { RealmsPlan } from "../realms/realms-document.ts";
import type { LivenessTracker } from "./liveness-tracker.ts";

/** What the aggregator measures of its own work. Labels come from the realms document and fixed sets. */
export type AggregatorMetrics = {
  rejected(rejection: Rejection): void;
  unlisted(): void;
  written(batch: RealmWrite): void;
  forwarded(ended: EndedForward): void;
  redisCommand(seconds: number): void;
  rebuilt(realm: string): void;
  reloaded(success: boolean): void;
};

/** What is only read when somebody scrapes. */
export type AggregatorReadings = {
  readonly plan: () => RealmsPlan;
  readonly liveness: LivenessTracker;
  readonly natsConnected: () => boolean;
  readonly natsConnections: () => number;
  /** Undefined without Redis. */
  readonly redisConnected: (() => boolean) | undefined;
  readonly modelWhole: () => boolean;
  readonly objects: () => number;
};

export function aggregatorMetrics(metrics: Metrics, gauges: AggregatorReadings): AggregatorMetrics {
  registerRealmMetrics(metrics, gauges);
  metrics.observableGauge("nats_connected", "1 while NATS is connected.", () => Number(gauges.natsConnected()));
  metrics.observableGauge("nats_connections", "How often NATS came to be connected.", gauges.natsConnections);
  const { redisConnected } = gauges;
  if (redisConnected) metrics.observableGauge("redis_connected", "1 while Redis can be used.", () => Number(redisConnected()));
  metrics.observableGauge("read_model_whole", "1 while reads can be answered.", () => Number(gauges.modelWhole()));
  metrics.observableGauge("read_model_objects", "Objects in memory.", gauges.objects);
  const rejected = metrics.counter({
    name: "ingest_rejected_total",
    help: "Messages that were not taken.",
    labels: ["realm", "reason"],
  });
  const unlisted = metrics.counter({ name: "ingest_unlisted_total", help: "Messages of realms that are not listed." });
  const rows = metrics.counter({
    name: "ingest_rows_total",
    help: "Rows written, one for each object and batch.",
    labels: ["realm"],
  });
  const records = metrics.counter({
    name: "ingest_records_total",
    help: "History records written.",
    labels: ["realm"],
  });
  const forwards = metrics.counter({
    name: "forward_total",
    help: "Commands forwarded, by what became of them.",
    labels: ["realm", "code"],
  });
  const forwardSeconds = metrics.histogram({
    name: "forward_duration_seconds",
    help: "How long realms took to answer.",
    labels: ["realm"],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
  });
  const redisSeconds = metrics.histogram({
    name: "redis_command_seconds",
    help: "How long Redis took.",
    buckets: [0.0005, 0.002, 0.01, 0.05, 0.25, 1, 2],
  });
  const resyncs = metrics.counter({
    name: "realm_resyncs_total",
    help: "Times that a realm was read from the streams again.",
    labels: ["realm"],
  });
  const reload = metrics.gauge({
    name: "config_last_reload_successful",
    help: "1 where the realms document was taken at the last try.",
  });
  reload.set(1);
  const bounded = (realm: string): string => (gauges.plan().has(realm) ? realm : "");
  return {
    rejected: ({ realm, reason }) => rejected.inc({ realm: bounded(realm), reason }),
    unlisted: () => unlisted.inc(),
    written({ realm, changes, records: added }) {
      if (changes.length > 0) rows.inc({ realm }, changes.length);
      if (added.length > 0) records.inc({ realm }, added.length);
    },
    forwarded({ realm, code, seconds }) {
      forwards.inc({ realm, code });
      forwardSeconds.observe({ realm }, seconds);
    },
    redisCommand: (seconds) => redisSeconds.observe(seconds),
    rebuilt: (realm) => resyncs.inc({ realm }),
    reloaded: (success) => reload.set(Number(success)),
  };
}

function registerRealmMetrics(metrics: Metrics, { plan, liveness }: AggregatorReadings): void {
  metrics.gauge({
    name: "realm_reachable",
    help: "1 while a realm's heartbeats arrive.",
    labels: ["realm"],
    collect(gauge) {
      gauge.reset();
      for (const entry of plan().values()) gauge.set({ realm: entry.name }, Number(liveness.isReachable(entry)));
    },
  });
  metrics.gauge({
    name: "realm_last_seen_timestamp_seconds",
    help: "When a realm was last heard, Unix time; absent where it never was.",
    labels: ["realm"],
    collect(gauge) {
      gauge.reset();
      for (const realm of plan().keys()) {
        const seenMs = lastSeenAtMs(liveness.of(realm));
        if (seenMs !== undefined) gauge.set({ realm }, seenMs / 1000);
      }
    },
  });
}

/** What becomes of audit records, and of the disk that they are on. */
export function registerAuditMetrics(
  metrics: Metrics,
  { lost, error, freeBytes }: { lost(): number; error(): string; freeBytes(): number },
): void {
  metrics.observableGauge(
    "audit_records_lost",
    "Audit records that were missing at the start, or that no disk took and no memory held since.",
    lost,
  );
  metrics.observableGauge("data_dir_free_bytes", "What the data directory's disk has left.", freeBytes);
  metrics.observableGauge("audit_writable", "1 while the audit log takes records.", () => Number(error() === ""));
}
