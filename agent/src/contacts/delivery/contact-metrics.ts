import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { ContactHealth, DeliveryHooks } from "./delivery-hooks.ts";

/** What is measured of delivery. Labels are bounded by the configuration. @param health as the dispatcher gives it */
export function contactMetrics(metrics: Metrics, health: () => readonly ContactHealth[]): DeliveryHooks {
  const ends = metrics.counter({
    name: "notifications_total",
    help: "Notifications that ended, by contact and by what became of them.",
    labels: ["contact", "type", "outcome"],
  });
  const attempts = metrics.counter({
    name: "notification_attempts_total",
    help: "Attempts to deliver, by contact and by why they failed.",
    labels: ["contact", "type", "result"],
  });
  const attemptTime = metrics.histogram({
    name: "notification_attempt_seconds",
    help: "How long attempts to deliver took.",
    labels: ["type"],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });
  const delay = metrics.histogram({
    name: "notification_delay_seconds",
    help: "From the decision until it was delivered.",
    labels: ["type"],
    buckets: [0.1, 0.5, 1, 2, 5, 15, 60, 300, 900, 3_600],
  });
  metrics.gauge({
    name: "notification_queue_length",
    help: "Notifications that are not delivered yet.",
    labels: ["contact", "type"],
    collect(gauge) {
      gauge.reset();
      for (const { contact, type, waiting } of health()) gauge.set({ contact, type }, waiting);
    },
  });
  metrics.gauge({
    name: "contact_failing",
    help: "1 while nothing gets through to a contact, with the reason.",
    labels: ["contact", "type", "reason"],
    collect(gauge) {
      gauge.reset();
      for (const { contact, type, failing } of health())
        if (failing !== undefined) gauge.set({ contact, type, reason: failing }, 1);
    },
  });
  return {
    attempted({ contact, type }, attempt, tookMs) {
      const result = attempt.kind === "delivered" ? attempt.kind : attempt.reason;
      attempts.inc({ contact, type, result });
      attemptTime.observe({ type }, tookMs / 1_000);
    },
    ended({ contact, type }, outcome, waitedMs) {
      ends.inc({ contact, type, outcome });
      if (outcome === "delivered") delay.observe({ type }, waitedMs / 1_000);
    },
  };
}
