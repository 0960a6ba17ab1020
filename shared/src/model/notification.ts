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
  "sent",
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
  "nobody_told",
  "downtime",
  "policy_period",
  "not_due",
  "level_period",
  "contact_off",
  "kind_disabled",
  "contact_period",
  "digest",
] as const;
/** Why somebody was, or was not, told: the answer of the filters, in the order they are asked. */
export type NotificationReason = (typeof notificationReasons)[number];

export type NotificationDecision = {
  readonly reason: NotificationReason;
  /** Of the dependency, downtime, period or contact; empty where there is none. */
  readonly name: string;
  readonly untilMs: number | undefined;
};

/**
 * One message for one contact, as it was decided: what the message says is what held at that moment. Plain JSON,
 * because the journal keeps it until it is delivered or given up. Instants are Unix ms.
 */
export type Notification = {
  /** The same for every attempt, also after a crash: receivers recognise a repetition by it. */
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
  /** One for everything that is told of the same problem, its recovery included. */
  readonly problemId: string;
  /** Index of the escalation level, from 0. */
  readonly level: number;
  /** Which message about this problem it is, from 1; 0 for what is about no problem. */
  readonly number: number;
  /** Of an acknowledgement, a downtime or a custom notification; else empty. */
  readonly author: string;
  readonly comment: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Since when the object has this status. */
  readonly sinceMs: number;
  readonly atMs: number;
  /** Values of all macros but the contact's own, by name without dollars; for contacts that run a program. */
  readonly macros?: Readonly<Record<string, string>>;
};

/** What became of a message. `cancelled`: it was withdrawn before it went, because its problem was over already. */
export type CompletedDelivery = {
  readonly notification: Notification;
  readonly outcome: "delivered" | "failed" | "cancelled";
  /** Why it failed, for people; holds no secret. Empty otherwise. */
  readonly detail: string;
};
