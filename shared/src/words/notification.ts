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

export type Because = {
  readonly reason: NotificationReason;
  /** Of the dependency, downtime, period or contact; empty where there is none. */
  readonly name: string;
  readonly untilMs: number | undefined;
};
