import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";

/** Called with each check that ended: its type, what it found and how long it ran, ms. */
export type RecordCheckRun = (type: string, outcome: Outcome, executionMs: number) => void;

/** What an agent and a worker alike measure of the checks that they run. */
export function checkMetrics(metrics: Metrics): RecordCheckRun {
  const checks = metrics.counter({ name: "checks_total", help: "Checks that ended.", labels: ["type", "result"] });
  const duration = metrics.histogram({
    name: "check_duration_seconds",
    help: "How long checks ran.",
    labels: ["type"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60],
  });
  return (type, outcome, executionMs) => {
    checks.inc({ type, result: outcome.status });
    duration.observe({ type }, executionMs / 1000);
  };
}
