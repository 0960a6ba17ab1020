import type { DeliveryProgress, NotificationDecision, NotificationReason } from "@realmwatch/shared/model/notification";
import type { NotificationProgress } from "@realmwatch/shared/model/row";
import type { ProblemStatus } from "@realmwatch/shared/model/status";

export const notificationDecision = (
  reason: NotificationReason,
  name = "",
  untilMs?: number,
): NotificationDecision => ({ reason, name, untilMs });

/** Delivery of a notification to one contact. `decisionId`: as in `Notification`. */
export type DeliveryRecord = DeliveryProgress & { readonly decisionId: string };

/** Last notification that a contact got about the open problem. `level`: index of its escalation level, from 0. */
export type LastNotification = { readonly status: ProblemStatus; readonly level: number };

/** A notification that waits for the opening of its contact's own period. `level`: index, from 0. */
export type DeferredNotification = {
  readonly contact: string;
  readonly level: number;
  /** Status of the problem or, of a recovery, the status that the contact was last notified of. */
  readonly status: ProblemStatus;
};

/** Progress of the notifications about a problem whose status was announced, or counts as announced. */
export type Announcement = Pick<NotificationProgress, "level" | "sentAtLevel" | "nextAtMs"> & {
  /** Status last announced. */
  readonly status: ProblemStatus;
  /** True after a recovery that flapping suppressed: a problem that follows it is announced again. */
  readonly recovered?: boolean;
  /** Number of notifications about this problem. */
  readonly number: number;
  /** Problem notifications to contacts whose period is closed. */
  readonly deferred: readonly DeferredNotification[];
};

export type OpenProblem = {
  readonly kind: "open";
  /** Start of the problem, Unix ms. */
  readonly sinceMs: number;
  /** Contacts that were notified of the problem, by name: they are due a recovery. */
  readonly notified: Readonly<Record<string, LastNotification>>;
  /** Time since which the first notification waits for an on-demand check of the host, Unix ms. */
  readonly hostCheckAwaitedSinceMs: number | undefined;
  /** Undefined while every notification about the problem was suppressed. */
  readonly announcement: Announcement | undefined;
};

type ClosedProblem = {
  readonly kind: "closed";
  /** Recoveries of the last problem to contacts whose period is closed. */
  readonly deferredRecoveries: readonly DeferredNotification[];
};

/**
 * Notifications about flapping. `suppressed`: decision on the notification that is due: on the start while `kind` is
 * `none`, on the stop while it is `notified`. `dropped`: the start was dropped, so the stop is not sent either.
 */
export type FlappingNotification =
  | { readonly kind: "none" | "notified"; readonly suppressed: NotificationDecision | undefined }
  | { readonly kind: "dropped" };

/** Kinds of notifications that follow from the object's state. */
export type StateNotificationKind = "PROBLEM" | "STATUS_CHANGE" | "RECOVERY";

/**
 * Stored progress of an object's notifications. Due notifications follow from comparing it with the object's state, not
 * from stored events. So a suppressed notification is sent later if it still holds, and is forgotten if it does not.
 * The journal stores it as JSON; see `reviveNotificationState`.
 */
export type NotificationState = {
  /** Counters since `sinceMs`, Unix ms. Together they keep notification ids unique even after a journal is lost. */
  readonly counters: { readonly sinceMs: number; readonly problems: number; readonly notifications: number };
  readonly problem: OpenProblem | ClosedProblem;
  /** Time of the last notification about a problem or its recovery, Unix ms. */
  readonly lastAtMs: number | undefined;
  readonly flapping: FlappingNotification;
  /** True after flapping has stopped, until the next result: a problem is notified only when that confirms it. */
  readonly awaitsResult: boolean;
  /** Decision on the last notification of a state kind that was due; undefined when none was. */
  readonly decision: { readonly kind: StateNotificationKind; readonly decision: NotificationDecision } | undefined;
  /** Deliveries of the last decision, and earlier ones that are still pending; one entry per contact. */
  readonly deliveries: readonly DeliveryRecord[];
};

const noProblem: ClosedProblem = { kind: "closed", deferredRecoveries: [] };

/** Notification state of an object without any notification so far. */
export const newNotificationState = (nowMs: number): NotificationState => ({
  counters: { sinceMs: nowMs, problems: 0, notifications: 0 },
  problem: noProblem,
  lastAtMs: undefined,
  flapping: { kind: "none", suppressed: undefined },
  awaitsResult: false,
  decision: undefined,
  deliveries: [],
});

export const openProblemOf = ({ problem }: NotificationState): OpenProblem | undefined =>
  problem.kind === "open" ? problem : undefined;

export const announcementOf = (state: NotificationState): Announcement | undefined =>
  openProblemOf(state)?.announcement;

/** True when a contact was notified of the open problem. */
export const isAnyContactNotified = (state: NotificationState): boolean => {
  for (const _ in openProblemOf(state)?.notified) return true;
  return false;
};

/** True when no notification was sent or suppressed that still needs an end. */
export const isSettled = ({ problem, flapping }: NotificationState): boolean =>
  problem.kind === "closed" &&
  problem.deferredRecoveries.length === 0 &&
  flapping.kind === "none" &&
  flapping.suppressed === undefined;

/** Closes the problem. Counters, flapping and the last decision stay. */
export const closeProblem = (
  state: NotificationState,
  deferredRecoveries: readonly DeferredNotification[],
): NotificationState => ({
  ...state,
  problem: deferredRecoveries.length === 0 ? noProblem : { kind: "closed", deferredRecoveries },
  awaitsResult: false,
});

/** Notifications that wait for the opening of a contact's own period. */
export const deferredNotificationsOf = ({ problem }: NotificationState): readonly DeferredNotification[] =>
  problem.kind === "closed" ? problem.deferredRecoveries : (problem.announcement?.deferred ?? []);

/** True while the first notification of a problem waits for an on-demand check of the host. */
export const awaitsHostCheck = (state: NotificationState): boolean =>
  openProblemOf(state)?.hostCheckAwaitedSinceMs !== undefined &&
  state.decision?.decision.reason === "host_check_awaited";

/** True while the state contains a time that a jump of the wall clock has to move. */
export const hasPendingTimer = (state: NotificationState): boolean =>
  announcementOf(state)?.nextAtMs !== undefined || openProblemOf(state)?.hostCheckAwaitedSinceMs !== undefined;

const shifted = (atMs: number | undefined, byMs: number): number | undefined =>
  atMs === undefined ? undefined : atMs + byMs;

/** [NO22] Moves the timers with a jump of the wall clock, so that they neither shorten nor lengthen. */
export function shiftTimers(state: NotificationState, byMs: number): NotificationState {
  const problem = openProblemOf(state);
  if (problem === undefined || !hasPendingTimer(state)) return state;
  const { announcement, hostCheckAwaitedSinceMs } = problem;
  return {
    ...state,
    problem: {
      ...problem,
      hostCheckAwaitedSinceMs: shifted(hostCheckAwaitedSinceMs, byMs),
      announcement: announcement && { ...announcement, nextAtMs: shifted(announcement.nextAtMs, byMs) },
    },
  };
}
