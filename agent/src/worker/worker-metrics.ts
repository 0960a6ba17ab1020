import type { Metrics } from "@realmwatch/shared/tools/metrics";
import type { Outcome } from "@realmwatch/shared/words/outcome";

/** What a worker measures. Labels come from bounded sets. */
export type WorkerMetrics = {
  ended(type: string, outcome: Outcome, executionMs: number): void;
  declined(): void;
};

export type WorkerGauges = {
  running(): number;
  places(): number;
  natsUp(): boolean;
};

export function workerMetrics(metrics: Metrics, gauges: WorkerGauges): WorkerMetrics {
  const checks = metrics.counter({ name: "checks_total", help: "Checks that ended.", labels: ["type", "result"] });
  const duration = metrics.histogram({
    name: "check_duration_seconds",
    help: "How long checks ran.",
    labels: ["type"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5, 10, 30, 60],
  });
  const declined = metrics.counter({
    name: "checks_declined_total",
    help: "Checks left to other workers because there was no place for them here.",
  });
  const gauge = (name: string, help: string, read: () => number): void => {
    metrics.gauge({ name, help, collect: (g) => g.set(read()) });
  };
  gauge("checks_in_flight", "Checks that run now.", gauges.running);
  gauge("check_places", "Checks that may run at the same time.", gauges.places);
  gauge("nats_connected", "1 while checks can be taken from NATS.", () => Number(gauges.natsUp()));
  return {
    ended(type, outcome, executionMs) {
      checks.inc({ type, result: outcome.status });
      duration.observe({ type }, executionMs / 1000);
    },
    declined: () => declined.inc(),
  };
}
