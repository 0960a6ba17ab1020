import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { checkMetrics, type RecordCheckRun } from "../checks/check-metrics.ts";

/** What a worker measures. Labels come from bounded sets. */
export type WorkerMetrics = {
  readonly ended: RecordCheckRun;
  declined(): void;
};

export type WorkerGauges = {
  running(): number;
  places(): number;
  natsUp(): boolean;
};

export function workerMetrics(metrics: Metrics, gauges: WorkerGauges): WorkerMetrics {
  const declined = metrics.counter({
    name: "checks_declined_total",
    help: "Checks left to other workers because there was no place for them here.",
  });
  metrics.observableGauge("checks_in_flight", "Checks that run now.", gauges.running);
  metrics.observableGauge("check_places", "Checks that may run at the same time.", gauges.places);
  metrics.observableGauge("nats_connected", "1 while checks can be taken from NATS.", () => Number(gauges.natsUp()));
  return {
    ended: checkMetrics(metrics),
    declined: () => declined.inc(),
  };
}
