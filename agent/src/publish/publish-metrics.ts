import type { Clock } from "@realmwatch/shared/model/clock";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { PublisherState } from "./nats-publisher.ts";

export type PublisherReadings = {
  readonly clock: Clock;
  connected(): boolean;
  /** True when NATS refused the login at the last attempt. */
  loginRefused(): boolean;
  state(): PublisherState;
};

/** Registers the publisher's metrics of an agent with an aggregator. Each reads a count that is maintained anyway. */
export function publishMetrics(
  metrics: Pick<Metrics, "observableGauge">,
  { clock, connected, loginRefused, state }: PublisherReadings,
): void {
  metrics.observableGauge("nats_connected", "1 while NATS is connected.", () => Number(connected()));
  metrics.observableGauge("nats_login_refused", "1 while NATS refuses the login.", () => Number(loginRefused()));
  metrics.observableGauge(
    "realm_duplicate",
    "1 while the aggregator follows another agent of this realm, so that this one publishes nothing.",
    () => Number(state().otherInstance !== undefined),
  );
  metrics.observableGauge("outbox_blocked", "1 while NATS accepts no messages.", () => Number(state().error !== ""));
  metrics.observableGauge("outbox_rows", "Objects with a row that has not been published.", () => state().waitingRows);
  metrics.observableGauge(
    "outbox_records",
    "History records that have not been published.",
    () => state().waitingEvents,
  );
  metrics.observableGauge(
    "outbox_oldest_record_age_seconds",
    "Age of the oldest history record that has not been published; 0 when all are published.",
    () => {
      const { oldestEventAtMs = Number.POSITIVE_INFINITY } = state();
      return Math.max(0, clock.now() - oldestEventAtMs) / 1000;
    },
  );
}
