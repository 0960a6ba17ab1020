import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { SinkStatus } from "../sinks/runner/sink-health.ts";
import type { Sinks } from "./sinks.ts";

/** Registers the metrics of the sinks, whose values are those of their thread's last report. */
export function registerSinkMetrics(
  metrics: Metrics,
  sinks: Pick<Sinks, "statuses" | "diskBytes" | "droppedPoints">,
): void {
  const bySink = (read: (status: SinkStatus) => number) => () =>
    sinks.statuses().map((status) => ({ labels: { sink: status.name }, value: read(status) }));
  const byReason = (read: (status: SinkStatus) => Readonly<Record<string, number | undefined>>) => () =>
    sinks
      .statuses()
      .flatMap((status) =>
        Object.entries(read(status)).map(([reason, value = 0]) => ({ labels: { sink: status.name, reason }, value })),
      );
  metrics.observedCounter({
    name: "sink_records_total",
    help: "Entries that a sink delivered.",
    labels: ["sink"],
    read: bySink(({ counts }) => counts.delivered),
  });
  metrics.observedCounter({
    name: "sink_failed_total",
    help: "Failed attempts of a sink, by reason.",
    labels: ["sink", "reason"],
    read: byReason(({ counts }) => counts.failed),
  });
  metrics.observedCounter({
    name: "sink_dropped_total",
    help: "Entries that a sink gave up.",
    labels: ["sink"],
    read: bySink(({ counts }) => Object.values(counts.dropped).reduce((sum, count = 0) => sum + count, 0)),
  });
  metrics.observedCounter({
    name: "sink_drops_by_reason_total",
    help: "Entries that a sink gave up, by reason.",
    labels: ["sink", "reason"],
    read: byReason(({ counts }) => counts.dropped),
  });
  metrics.observedGauge({
    name: "sink_queue_length",
    help: "Entries that a sink has not delivered.",
    labels: ["sink"],
    read: bySink(({ queued }) => queued),
  });
  metrics.observedGauge({
    name: "sink_cursor_lag_seconds",
    help: "Age of the oldest entry that a sink has not delivered.",
    labels: ["sink"],
    read: bySink(({ lagMs }) => lagMs / 1_000),
  });
  metrics.observableGauges({
    sink_log_bytes: ["Size of the log of performance data for the sinks.", () => sinks.diskBytes()],
  });
  metrics.observableCounters({
    sink_input_dropped_total: [
      "Points of performance data that were dropped because the thread of the sinks did not keep up.",
      () => sinks.droppedPoints(),
    ],
  });
}
