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
  const dropped = ({ counts }: SinkStatus): number =>
    Object.values(counts.dropped).reduce((sum, count = 0) => sum + count, 0);
  metrics.observableCounters({
    sink_records_total: ["Entries that a sink delivered.", bySink(({ counts }) => counts.delivered), "sink"],
    sink_failed_total: [
      "Failed attempts of a sink, by reason.",
      byReason(({ counts }) => counts.failed),
      "sink",
      "reason",
    ],
    sink_dropped_total: ["Entries that a sink gave up.", bySink(dropped), "sink"],
    sink_drops_by_reason_total: [
      "Entries that a sink gave up, by reason.",
      byReason(({ counts }) => counts.dropped),
      "sink",
      "reason",
    ],
    sink_input_dropped_total: [
      "Points of performance data that were dropped because the thread of the sinks did not keep up.",
      () => sinks.droppedPoints(),
    ],
  });
  metrics.observableGauges({
    sink_queue_length: ["Entries that a sink has not delivered.", bySink(({ queued }) => queued), "sink"],
    sink_cursor_lag_seconds: [
      "Age of the oldest entry that a sink has not delivered.",
      bySink(({ lagMs }) => lagMs / 1_000),
      "sink",
    ],
    sink_log_bytes: ["Size of the log of performance data for the sinks.", () => sinks.diskBytes()],
  });
}
