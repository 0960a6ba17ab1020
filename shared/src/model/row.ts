import type { DeliveryProgress, NotificationDecision } from "./notification.ts";

export type Labels = Readonly<Record<string, string>>;

/** Progress of an open problem in its notification policy. */
export type NotificationProgress = {
  /** Index of the current escalation level, from 0. */
  readonly level: number;
  /** Number of decisions to notify at this level, whatever became of their deliveries. */
  readonly sentAtLevel: number;
  readonly lastAtMs: number | undefined;
  readonly nextAtMs: number | undefined;
  /** Decision on the last notification that was due. */
  readonly because: NotificationDecision | undefined;
  /** Progress of the latest notification, one entry per contact, after those of earlier ones that are still pending. */
  readonly deliveries: readonly DeliveryProgress[];
};
