import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { AttemptResult, FailureReason } from "../../platform/outbound/delivery-result.ts";
import type { ContactHealth, DeliveryHooks } from "./delivery-reports.ts";

/** Registers the metrics of the delivery. Label values are bounded by the configuration. */
export function contactMetrics(metrics: Metrics, health: () => readonly ContactHealth[]): DeliveryHooks {
  const counted = metrics.counters({
    notifications_total: ["Notifications delivered or given up, by type of contact and kind.", "contact_type", "kind"],
    notifications_failed_total: [
      "Notifications given up, by contact and the reason of the last attempt.",
      "contact_type",
      "contact",
      "reason",
    ],
    notification_retries_total: ["Failed delivery attempts after which another one follows."],
    notification_outcomes_total: ["Notifications that ended, by contact and outcome.", "contact", "type", "outcome"],
    notification_attempts_total: [
      "Delivery attempts, by contact and result; the reason for failed ones.",
      "contact",
      "type",
      "result",
    ],
  });
  const attemptTime = metrics.histogram({
    name: "notification_attempt_seconds",
    help: "Duration of delivery attempts.",
    labels: ["type"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const latency = metrics.histogram({
    name: "notification_latency_seconds",
    help: "Time from the decision to notify until the delivery.",
    buckets: [0.1, 0.5, 1, 2, 5, 15, 60, 300, 900, 3_600],
  });
  registerQueueLengths(metrics, health);
  /** Reason of the last failed attempt, by contact. */
  const lastReasons = new Map<string, FailureReason>();
  return {
    attempted({ contact, type }, result, tookMs) {
      if (result.kind === "retry") counted.notification_retries_total.inc();
      if (result.kind !== "delivered") lastReasons.set(contact, result.reason);
      const outcome = result.kind === "delivered" ? result.kind : result.reason;
      counted.notification_attempts_total.inc({ contact, type, result: outcome });
      attemptTime.observe({ type }, tookMs / 1_000);
    },
    ended({ contact, type }, { outcome, attempted, notification: { kind } }, waitedMs) {
      counted.notification_outcomes_total.inc({ contact, type, outcome });
      if (outcome === "delivered") latency.observe(waitedMs / 1_000);
      if (outcome !== "cancelled") counted.notifications_total.inc({ contact_type: type, kind });
      if (outcome !== "failed") return;
      const reason = (attempted ? lastReasons.get(contact) : undefined) ?? "setup";
      counted.notifications_failed_total.inc({ contact_type: type, contact, reason });
    },
  };
}

function registerQueueLengths(metrics: Metrics, health: () => readonly ContactHealth[]): void {
  metrics.observableGauges({
    notification_queue_length: [
      "Notifications that wait for their delivery.",
      () => health().reduce((sum, { waiting }) => sum + waiting, 0),
    ],
    contact_queue_length: [
      "Notifications that wait for their delivery, by contact.",
      () => health().map(({ contact, type, waiting }) => ({ labels: { contact, type }, value: waiting })),
      "contact",
      "type",
    ],
  });
}

/** Registers the metric of failing contacts. `contacts`: the configured ones, with the time since which they fail. */
export function registerContactFailing(
  metrics: Metrics,
  contacts: () => Iterable<{ readonly contact: string; readonly failingSinceMs: number | undefined }>,
): void {
  metrics.observableGauges({
    contact_failing: [
      "1 from the first failed delivery to a contact until one succeeds, else 0.",
      () =>
        [...contacts()].map(({ contact, failingSinceMs }) => ({
          labels: { contact },
          value: Number(failingSinceMs !== undefined),
        })),
      "contact",
    ],
  });
}

/** Registers the metric of heartbeats, and counts them. */
export function heartbeatMetrics(metrics: Metrics): (contact: string, result: AttemptResult) => void {
  const sent = metrics.counter({
    name: "contact_heartbeats_total",
    help: "Heartbeats sent to a contact, by result; the reason for failed ones.",
    labels: ["contact", "result"],
  });
  return (contact, result) => sent.inc({ contact, result: result.kind === "delivered" ? result.kind : result.reason });
}
