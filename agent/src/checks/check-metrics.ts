import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";

/** Counts a completed check and its execution time. */
export type RecordCheckRun = (type: string, outcome: Outcome, executionMs: number) => void;

/** Registers the metrics of completed checks, which agents and workers have in common. */
export function checkMetrics(metrics: Metrics): RecordCheckRun {
  const checks = metrics.counter({
    name: "checks_total",
    help: "Completed checks by type and result.",
    labels: ["type", "result"],
  });
  const duration = metrics.histogram({
    name: "check_duration_seconds",
    help: "Execution time of checks.",
    labels: ["type"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60],
  });
  return (type, outcome, executionMs) => {
    checks.inc({ type, result: outcome.status });
    duration.observe({ type }, executionMs / 1000);
  };
}
