import type { DeliveryProgress, NotificationDecision } from "./notification.ts";
import type { ObjectKind } from "./object-key.ts";
import type { Status } from "./status.ts";

export type Labels = Readonly<Record<string, string>>;

/** Number of objects of a kind in a status. */
export type StatusCount = { readonly kind: ObjectKind; readonly status: Status; readonly count: number };

/** Objects behind a problem: those that it makes unreachable, and the problems that are suppressed because of it. */
export type Impact = { readonly counts: readonly StatusCount[] };

/** Contact that fails, and the time of its first failed attempt since its last delivery, Unix ms. */
export type WaitingFor = { readonly contact: string; readonly failingSinceMs: number };

/** Progress of an open problem in its notification policy. */
export type NotificationProgress = {
  /** Index of the current escalation level, from 0. */
  readonly level: number;
  /** Number of decisions to notify at this level, whatever became of their deliveries. */
  readonly sentAtLevel: number;
  readonly lastAtMs: number | undefined;
  /** Time of the next renotification, Unix ms; undefined when no renotification is due. */
  readonly nextAtMs: number | undefined;
  /** Decision on the last notification that was due. */
  readonly because: NotificationDecision | undefined;
  /** Progress of the latest notification, one entry per contact, after those of earlier ones that are still pending. */
  readonly deliveries: readonly DeliveryProgress[];
  /**
   * Failing contact for which a delivery waits, of several the one that fails longest. Derived by read models from the
   * deliveries and the contacts.
   */
  readonly waitingFor?: WaitingFor | undefined;
};

/** Number of objects behind a problem. */
export const sizeOfImpact = (impact: { readonly counts: readonly { readonly count: number }[] } | undefined): number =>
  impact === undefined ? 0 : impact.counts.reduce((sum, { count }) => sum + count, 0);
