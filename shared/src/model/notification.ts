import type { ObjectKey } from "./object-key.ts";
import type { PerfPoint } from "./perfdata.ts";
import type { StateType, Status } from "./status.ts";

export const notificationKinds = [
  "PROBLEM",
  "RECOVERY",
  "STATUS_CHANGE",
  "FLAPPING_START",
  "FLAPPING_STOP",
  "ACKNOWLEDGEMENT",
  "DOWNTIME_START",
  "DOWNTIME_END",
  "DOWNTIME_CANCELLED",
  "CUSTOM",
] as const;
export type NotificationKind = (typeof notificationKinds)[number];

export const notificationReasons = [
  "decided",
  "program_off",
  "object_off",
  "no_policy",
  "no_problem",
  "soft",
  "unreachable",
  "host_down",
  "host_check_awaited",
  "acknowledged",
  "dependency",
  "flapping",
  "problem_not_notified",
  "downtime",
  "policy_period",
  "not_due",
  "level_period",
  "contact_off",
  "kind_disabled",
  "status_not_selected",
  "contact_period",
  "digest",
] as const;
/** Reasons for queueing or suppressing a notification, in the order in which the filters are applied. */
export type NotificationReason = (typeof notificationReasons)[number];

/** Decision on a notification: `decided` when it was queued for its contacts, else the reason of its suppression. */
export type NotificationDecision = {
  readonly reason: NotificationReason;
  /** Name of the dependency, downtime, period, contact or host behind the reason; empty when there is none. */
  readonly name: string;
  /** End of the suppression, if it is known, Unix ms. */
  readonly untilMs: number | undefined;
};

/**
 * One notification for one contact, with the state of the object at the time of the decision. The journal stores it as
 * JSON until it is delivered or given up. Times are Unix ms.
 */
export type Notification = {
  /** The same for every delivery attempt, also after a crash, so that receivers can recognise duplicates. */
  readonly id: string;
  readonly contact: string;
  readonly kind: NotificationKind;
  readonly key: ObjectKey;
  readonly status: Status;
  readonly previousStatus: Status;
  readonly stateType: StateType;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly output: string;
  readonly longOutput: string;
  readonly perfdata: readonly PerfPoint[];
  /** Shared by all notifications about the same problem, including its recovery. */
  readonly problemId: string;
  /** Index of the escalation level, from 0. */
  readonly level: number;
  /** Number of this notification about its problem, from 1; 0 for a notification that is not about a problem. */
  readonly number: number;
  /** Author of an acknowledgement, a downtime or a custom notification; else empty. */
  readonly author: string;
  readonly comment: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Time since which the object has this status. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** Address of the host; undefined for a process. */
  readonly address?: string;
  /** Start of the check that found the current problem; undefined without one. */
  readonly problemSinceMs?: number;
  /** Start of the last ok check before the current or last problem; undefined when no check was ok. */
  readonly lastOkAtMs?: number;
  /** Identifies the decision among all decisions about the object. */
  readonly decisionId: string;
  /** Contacts that failed before this one became their fallback, in order; absent for other notifications. */
  readonly fallbackFor?: readonly string[];
  /** Fallbacks of the contact, direct or indirect, that the same decision notifies anyway; absent when there are none. */
  readonly fallbacksNotified?: readonly string[];
  /** True once the fallback of the contact was asked, which happens once. */
  readonly fallbackUsed?: boolean;
  /** True when an earlier attempt to deliver it, perhaps of another agent, may have arrived. Only in a pair. */
  readonly possibleDuplicate?: boolean;
  /** Values of all macros except the contact's own, by name without `$`; only for contacts that run a program. */
  readonly macros?: Readonly<Record<string, string>>;
};

/** Final outcome of a notification. `cancelled`: not sent, because its problem had ended before the delivery. */
export type CompletedDelivery = {
  readonly notification: Notification;
  readonly outcome: "delivered" | "failed" | "cancelled";
  /** Reason of a failure, as text for users; contains no secret. Empty otherwise. */
  readonly detail: string;
  /** True when a delivery attempt led to this outcome, false when the notification ended without a further attempt. */
  readonly attempted: boolean;
};

/** Failed delivery attempt of a notification that will be attempted again. `detail` as in `CompletedDelivery`. */
export type FailedAttempt = { readonly notification: Notification; readonly detail: string };

export const deliveryStates = ["queued", "delivered", "failing", "gave_up"] as const;
/** State of a delivery. `failing`: at least one attempt failed, and another follows. */
export type DeliveryState = (typeof deliveryStates)[number];

/** Progress of the latest notification of an object to one contact. */
export type DeliveryProgress = {
  readonly contact: string;
  readonly kind: NotificationKind;
  readonly state: DeliveryState;
  /** Time since which it has this state, Unix ms. */
  readonly sinceMs: number;
  /** Number of attempts so far. */
  readonly attempts: number;
  /** Error of the last failed attempt, without secrets; empty when none failed. */
  readonly error: string;
  /** True when it is sent as a possible duplicate, because an earlier attempt may have arrived. */
  readonly possibleDuplicate?: boolean;
};
