import type { Clock } from "@realmwatch/shared/model/clock";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { PublisherState } from "./nats-publisher.ts";

export type PublisherReadings = {
  readonly clock: Clock;
  connected(): boolean;
  state(): PublisherState;
};

/** What an agent with a centre measures of what it has to tell there. Each is read from a count that is kept anyway. */
export function publishMetrics(metrics: Pick<Metrics, "observableGauge">, { clock, connected, state }: PublisherReadings): void {
  metrics.observableGauge("nats_connected", "1 while NATS is connected.", () => Number(connected()));
  metrics.observableGauge("outbox_blocked", "1 while NATS takes nothing of what is to be published.", () =>
    Number(state().trouble !== ""),
  );
  metrics.observableGauge("outbox_rows", "Objects with a row that has not been published.", () => state().waitingRows);
  metrics.observableGauge("outbox_records", "History records that have not been published.", () => state().waitingEvents);
  metrics.observableGauge(
    "outbox_oldest_record_age_seconds",
    "Age of the oldest history record that has not been published; 0 where there is none.",
    () => {
      const { oldestEventAtMs = Number.POSITIVE_INFINITY } = state();
      return Math.max(0, clock.now() - oldestEventAtMs) / 1000;
    },
  );
}
