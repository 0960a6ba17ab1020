import type { Notification } from "@realmwatch/shared/model/notification";

/** Saturday, 21 November 2026, 09:00 UTC. */
export const notificationAtMs = Date.UTC(2026, 10, 21, 9);

/** First notification about a critical service. */
export function problemNotification(more: Partial<Notification> = {}): Notification {
  return {
    id: "n1",
    contact: "ann",
    kind: "PROBLEM",
    key: { kind: "service", host: "web1", name: "http" },
    status: "critical",
    previousStatus: "ok",
    stateType: "hard",
    attempt: 3,
    maxAttempts: 3,
    output: "HTTP 503 after 2.1 s",
    longOutput: "",
    perfdata: [],
    problemId: "p1",
    decisionId: "d1",
    level: 0,
    number: 1,
    author: "",
    comment: "",
    labels: {},
    sinceMs: notificationAtMs - 300_000,
    atMs: notificationAtMs,
    ...more,
  };
}

export const recoveryNotification = (more: Partial<Notification> = {}): Notification =>
  problemNotification({
    id: "n2",
    kind: "RECOVERY",
    status: "ok",
    previousStatus: "critical",
    output: "HTTP 200",
    ...more,
  });
