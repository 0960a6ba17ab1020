import { type MetricSamples, sumOf } from "./metric-samples.ts";

/** Judgement of a resource by its share: from 0.7 a warning, from 0.9 critical. */
export type CapacityLevel = "ok" | "warning" | "critical";

/** One limited resource of a program. */
export type CapacityResource = {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
  /** `used` in parts of `limit`; above 1 for an exceeded target. */
  readonly share: number;
  readonly unit: "" | "s" | "bytes";
  readonly level: CapacityLevel;
};

/** Load of a program between two scrapes, compared with its limits. */
export type CapacityReport = {
  /** Resources, the tightest first. */
  readonly resources: readonly CapacityResource[];
  readonly objects: number;
  /** Processor time per second of all threads, in cores. */
  readonly processorCores: number | undefined;
  /** Checks completed per second; undefined for a program that executes none. */
  readonly checksPerSecond: number | undefined;
  /** Checks per second that occupy all check slots at the present duration of a check; undefined without checks. */
  readonly maxChecksPerSecond: number | undefined;
};

type Measured = {
  readonly before: MetricSamples;
  readonly after: MetricSamples;
  /** Time between the two, above zero. */
  readonly seconds: number;
};

/** Limits that are constants of the programs or the recommendations of docs/reference/metrics.md. */
const limits = {
  eventLoopDelaySeconds: 0.1,
  journalSyncSeconds: 0.05,
  schedulerLagSeconds: 5,
  httpConnections: 2_000,
  metricStoreBytes: 4 * 2 ** 30,
  sinkLogBytes: 2 ** 30,
} as const;

const thresholds = { warning: 0.7, critical: 0.9 } as const;

/** Compares the load between two scrapes with the limits. Resources that the program does not have are left out. */
export function measureCapacity(measured: Measured): CapacityReport {
  const { after, seconds } = measured;
  const checks = increase(measured, "realmwatch_check_duration_seconds_count");
  const busySeconds = increase(measured, "realmwatch_check_duration_seconds_sum") ?? 0;
  const places = sumOf(after, "realmwatch_check_places");
  const isChecking = checks !== undefined && checks > 0;
  const processor = increase(measured, "realmwatch_process_cpu_seconds_total");
  return {
    resources: resourcesOf(measured, busySeconds / seconds).sort((a, b) => b.share - a.share),
    objects: sumOf(after, "realmwatch_objects") ?? sumOf(after, "realmwatch_read_model_objects") ?? 0,
    processorCores: processor === undefined ? undefined : processor / seconds,
    checksPerSecond: checks === undefined ? undefined : checks / seconds,
    maxChecksPerSecond:
      isChecking && places !== undefined && busySeconds > 0 ? places / (busySeconds / checks) : undefined,
  };
}

/** @param busySlots check slots that were occupied on average */
function resourcesOf(measured: Measured, busySlots: number): CapacityResource[] {
  const { after } = measured;
  const now = (name: string): number | undefined => sumOf(after, `realmwatch_${name}`);
  const inFlight = now("checks_in_flight");
  const delay = after.find(
    ({ name, labels }) => name === "realmwatch_event_loop_delay_seconds" && labels["percentile"] === "99",
  );
  const stored = ["journal_bytes", "metric_store_bytes", "sink_log_bytes"].map((name) => now(name) ?? 0);
  const storedBytes = stored.reduce((sum, bytes) => sum + bytes, 0);
  const free = now("data_dir_free_bytes");
  return [
    // A long check is complete only after the sample, so those that run now count too.
    resource("check slots", inFlight === undefined ? undefined : Math.max(inFlight, busySlots), now("check_places")),
    resource("check start delay", now("scheduler_lag_seconds"), limits.schedulerLagSeconds, "s"),
    resource("event loop delay p99", delay?.value, limits.eventLoopDelaySeconds, "s"),
    resource("command queue", now("command_queue_length"), now("command_queue_capacity")),
    resource("journal write", meanOf(measured, "realmwatch_journal_sync_seconds"), limits.journalSyncSeconds, "s"),
    resource("disk of the data directory", storedBytes, free === undefined ? undefined : storedBytes + free, "bytes"),
    resource("recorded performance data", now("metric_store_bytes"), limits.metricStoreBytes, "bytes"),
    resource("log of the sinks", now("sink_log_bytes"), limits.sinkLogBytes, "bytes"),
    resource("connections", now("http_connections"), limits.httpConnections),
    resource("memory of Redis", now("redis_memory_used_ratio"), 1),
    ...streamResources(after),
  ].flat();
}

/** Streams of NATS that have a maximum size. */
function streamResources(samples: MetricSamples): CapacityResource[] {
  const sizes = samples.filter(({ name }) => name === "realmwatch_nats_stream_bytes");
  return sizes.flatMap(({ labels, value }) => {
    const { stream = "" } = labels;
    const maximum = samples.find(
      (sample) => sample.name === "realmwatch_nats_stream_max_bytes" && sample.labels["stream"] === stream,
    );
    return resource(`stream ${stream}`, value, maximum?.value, "bytes");
  });
}

/** The resource as a list; empty when it is not measured or has no limit. */
function resource(
  name: string,
  used: number | undefined,
  limit: number | undefined,
  unit: CapacityResource["unit"] = "",
): CapacityResource[] {
  if (used === undefined || limit === undefined || !Number.isFinite(used) || !Number.isFinite(limit) || limit <= 0)
    return [];
  const share = used / limit;
  return [{ name, used, limit, share, unit, level: levelOf(share) }];
}

function levelOf(share: number): CapacityLevel {
  if (share >= thresholds.critical) return "critical";
  return share >= thresholds.warning ? "warning" : "ok";
}

/** Growth of a counter; undefined when the program does not have it. A restart in between counts from zero. */
function increase({ before, after }: Measured, name: string): number | undefined {
  const [first = 0, last] = [sumOf(before, name), sumOf(after, name)];
  if (last === undefined) return undefined;
  return last >= first ? last - first : last;
}

/** Mean of a histogram's observations between the scrapes, 0 without any; undefined without the histogram. */
function meanOf(measured: Measured, name: string): number | undefined {
  const count = increase(measured, `${name}_count`);
  if (count === undefined) return undefined;
  return count === 0 ? 0 : (increase(measured, `${name}_sum`) ?? 0) / count;
}
