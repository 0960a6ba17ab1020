import type { Clock } from "@realmwatch/shared/model/clock";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { unpublishedKinds } from "@realmwatch/shared/wire/unpublished";
import type { PublisherState } from "./nats-publisher.ts";
import { publishFailureKinds } from "./publish-failure.ts";

type PublisherReadings = {
  readonly clock: Clock;
  readonly bus: Pick<NatsBus, "live" | "connections" | "loginRefused">;
  state(): PublisherState;
};

/** Registers the publisher's metrics of an agent with an aggregator. Each reads a count that is maintained anyway. */
export function publishMetrics(
  metrics: Pick<Metrics, "observableGauges" | "observableCounters">,
  { clock, bus, state }: PublisherReadings,
): void {
  metrics.observableGauges({
    nats_connected: ["1 while NATS is connected.", () => Number(bus.live() !== undefined)],
    nats_login_refused: ["1 while NATS refuses the login.", () => Number(bus.loginRefused())],
    realm_duplicate: [
      "1 while the aggregator follows another agent of this realm, so that this one publishes nothing.",
      () => Number(state().otherInstance !== undefined),
    ],
    outbox_blocked: ["1 while NATS accepts no messages.", () => Number(state().error !== "")],
    outbox_rows: ["Objects with a row that has not been published.", () => state().waitingRows],
    outbox_records: ["History records that have not been published.", () => state().waitingEvents],
    outbox_messages: [
      "Messages that have not been published: rows and history records.",
      () => state().waitingRows + state().waitingEvents,
    ],
    outbox_bytes: [
      "Estimated size of the messages that have not been published: their number times the mean size of a message.",
      () => Math.round((state().waitingRows + state().waitingEvents) * state().meanMessageBytes),
    ],
    outbox_oldest_seconds: [
      "Age of the oldest row change or history record that has not been published; 0 when all are published.",
      () => {
        const { oldestEventAtMs = Number.POSITIVE_INFINITY, unstoredMs } = state();
        return Math.max(0, unstoredMs, clock.now() - oldestEventAtMs) / 1000;
      },
    ],
    unpublished: [
      "Rows, parts of the catalog and history records that NATS refuses.",
      () => {
        const entries = state().unpublished;
        const numberOf = (kind: string): number => entries.find((entry) => entry.kind === kind)?.number ?? 0;
        return unpublishedKinds.map((kind) => ({ labels: { kind }, value: numberOf(kind) }));
      },
      "kind",
    ],
  });
  metrics.observableCounters({
    outbox_dropped_total: [
      "History records given up: removed before they could be published, or too large.",
      () => state().droppedEvents,
    ],
    nats_reconnects_total: ["Connections to NATS after the first one.", () => Math.max(0, bus.connections() - 1)],
    publish_errors_total: [
      "Messages that NATS did not store, by reason; all but too large history records are sent again.",
      () => publishFailureKinds.map((reason) => ({ labels: { reason }, value: state().failures.get(reason) ?? 0 })),
      "reason",
    ],
  });
}

/** Registers the metric of acknowledgements, and records the time that one took, ms. */
export function publishAckMetric(metrics: Pick<Metrics, "histogram">): (tookMs: number) => void {
  const acks = metrics.histogram({
    name: "publish_ack_seconds",
    help: "Time until NATS acknowledged a message.",
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2, 5],
  });
  return (tookMs) => acks.observe(tookMs / 1000);
}
