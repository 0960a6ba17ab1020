import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { Sinks } from "./open-sinks.ts";

/** Registers the metrics of the sinks, whose values are those of their thread's last report. */
export function registerSinkMetrics(
  metrics: Metrics,
  sinks: Pick<Sinks, "statuses" | "diskBytes" | "droppedPoints">,
): void {
  metrics.observedCounter({
    name: "sink_records_total",
    help: "Entries that a sink delivered.",
    labels: ["sink"],
    read: () => sinks.statuses().map(({ name, counts }) => ({ labels: { sink: name }, value: counts.delivered })),
  });
  metrics.observedCounter({
    name: "sink_failed_total",
    help: "Failed attempts of a sink, by reason.",
    labels: ["sink", "reason"],
    read: () => sinks.statuses().flatMap(({ name, counts }) => byReason(name, counts.failed)),
  });
  metrics.observedCounter({
    name: "sink_dropped_total",
    help: "Entries that a sink gave up.",
    labels: ["sink"],
    read: () =>
      sinks.statuses().map(({ name, counts }) => ({
        labels: { sink: name },
        value: Object.values(counts.dropped).reduce((sum, count = 0) => sum + count, 0),
      })),
  });
  metrics.observedCounter({
    name: "sink_drops_by_reason_total",
    help: "Entries that a sink gave up, by reason.",
    labels: ["sink", "reason"],
    read: () => sinks.statuses().flatMap(({ name, counts }) => byReason(name, counts.dropped)),
  });
  metrics.gauge({
    name: "sink_queue_length",
    help: "Entries that a sink has not delivered.",
    labels: ["sink"],
    collect(gauge) {
      gauge.reset();
      for (const { name, queued } of sinks.statuses()) gauge.set({ sink: name }, queued);
    },
  });
  metrics.gauge({
    name: "sink_cursor_lag_seconds",
    help: "Age of the oldest entry that a sink has not delivered.",
    labels: ["sink"],
    collect(gauge) {
      gauge.reset();
      for (const { name, lagMs } of sinks.statuses()) gauge.set({ sink: name }, lagMs / 1_000);
    },
  });
  metrics.observableGauge("sink_log_bytes", "Size of the log of performance data for the sinks.", sinks.diskBytes);
  metrics.observedCounter({
    name: "sink_input_dropped_total",
    help: "Points of performance data that were dropped because the thread of the sinks did not keep up.",
    labels: [],
    read: () => [{ labels: {}, value: sinks.droppedPoints() }],
  });
}

const byReason = (sink: string, counts: Readonly<Record<string, number | undefined>>) =>
  Object.entries(counts).map(([reason, value = 0]) => ({ labels: { sink, reason }, value }));
