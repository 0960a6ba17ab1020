/** Statuses that a check can return, in the order of plugin exit codes 0 to 3. */
export const checkStatuses = ["ok", "warning", "critical", "unknown"] as const;
export type CheckStatus = (typeof checkStatuses)[number];
/** All statuses; `pending` and `unreachable` are derived, never the result of a check. */
export const statuses = [...checkStatuses, "pending", "unreachable"] as const;
/** Status of an object. */
export type Status = (typeof statuses)[number];
/** Statuses of problems. */
export const problemStatuses = ["warning", "critical", "unknown", "unreachable"] as const;
export type ProblemStatus = (typeof problemStatuses)[number];
export const stateTypes = ["soft", "hard"] as const;
export type StateType = (typeof stateTypes)[number];

export const isProblem = (status: Status): status is ProblemStatus => status !== "ok" && status !== "pending";

/** A host is down when its status says so; a warning host is up. */
export const isHostDown = (status: Status): boolean => status === "critical" || status === "unknown";

/** Severity by which lists sort statuses in descending order, as the dashboard does. */
export const severityOf: Readonly<Record<Status, number>> = {
  critical: 5,
  unreachable: 4,
  warning: 3,
  unknown: 2,
  pending: 1,
  ok: 0,
};
