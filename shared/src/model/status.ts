export const statuses = ["ok", "warning", "critical", "unknown", "pending", "unreachable"] as const;
/** What a check or rule says of an object. */
export type Status = (typeof statuses)[number];
export type ProblemStatus = Exclude<Status, "ok" | "pending">;
/** What a check may answer; `unreachable` is a conclusion, never a result of a check of our own. */
export type CheckStatus = Exclude<Status, "pending" | "unreachable">;
export type StateType = "soft" | "hard";

export const isProblem = (status: Status): status is ProblemStatus => status !== "ok" && status !== "pending";

/** A host is down when its status says so; a warning host is up. */
export const isHostDown = (status: Status): boolean => status === "critical" || status === "unknown";

/** How loud a status is on a list, louder first: the order of the dashboard. */
export const severityOf: Readonly<Record<Status, number>> = {
  critical: 5,
  unreachable: 4,
  unknown: 3,
  warning: 2,
  pending: 1,
  ok: 0,
};
