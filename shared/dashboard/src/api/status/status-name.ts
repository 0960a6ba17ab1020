import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";

export const statusNames = ["critical", "unreachable", "unknown", "warning", "pending", "ok"] as const;
/** A status in the configuration's lower-case words; listed loudest first. */
export type StatusName = (typeof statusNames)[number];

const namesByStatus: Readonly<Record<number, StatusName>> = {
  [Status.OK]: "ok",
  [Status.WARNING]: "warning",
  [Status.CRITICAL]: "critical",
  [Status.UNKNOWN]: "unknown",
  [Status.PENDING]: "pending",
  [Status.UNREACHABLE]: "unreachable",
};

/** A status of a newer contract, or none, reads as unknown: never as well. */
export const statusNameOf = (status: Status): StatusName => namesByStatus[status] ?? "unknown";

export const isSoftState = (type: StateType): boolean => type === StateType.SOFT;

export const isProblemStatus = (name: StatusName): boolean => name !== "ok" && name !== "pending";

/** How loud a status is, louder first; the same order as the server's `severity`. */
export const severityOf = (name: StatusName): number => statusNames.length - statusNames.indexOf(name);
