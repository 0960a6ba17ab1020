import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { checkMetrics, type RecordCheckRun } from "../checks/check-metrics.ts";

/** Metrics of a worker. Label values are from bounded sets. */
type WorkerMetrics = {
  readonly ended: RecordCheckRun;
  declined(): void;
};

type WorkerGauges = {
  running(): number;
  places(): number;
  natsUp(): boolean;
};

export function workerMetrics(metrics: Metrics, gauges: WorkerGauges): WorkerMetrics {
  const declined = metrics.counter({
    name: "checks_declined_total",
    help: "Checks declined because no slot was free.",
  });
  metrics.observableGauges({
    checks_in_flight: ["Checks that are running.", gauges.running],
    check_places: ["Maximum number of concurrent checks.", gauges.places],
    nats_connected: ["1 while checks can be received from NATS, else 0.", () => Number(gauges.natsUp())],
  });
  return {
    ended: checkMetrics(metrics),
    declined: () => declined.inc(),
  };
}
