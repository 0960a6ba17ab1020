import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { ProgramCounts } from "../platform/programs/program-runner.ts";

/** Counts a completed check and its execution time. */
type RecordCheckRun = (type: string, outcome: Outcome, executionMs: number) => void;

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

/** Registers the metric of timeouts, 0 for each of `types`; the returned function counts one. */
export function timeoutMetrics(metrics: Metrics, types: readonly string[]): (type: string) => void {
  const timeouts = metrics.counter({
    name: "check_timeouts_total",
    help: "Checks that their timeout ended, by type.",
    labels: ["type"],
  });
  for (const type of types) timeouts.inc({ type }, 0);
  return (type) => timeouts.inc({ type });
}

/** Registers the metrics of the programs that checks run. */
export function registerProgramMetrics(metrics: Metrics, counts: () => ProgramCounts): void {
  metrics.observableCounters({
    plugin_output_truncated_total: ["Plugins whose output was longer than 64 KiB and cut.", () => counts().truncated],
    plugin_orphans_total: [
      "Processes that outlived their plugin outside its process group and were killed.",
      () => counts().strays,
    ],
  });
}
