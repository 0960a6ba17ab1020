import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";

/** All statuses, most severe first. */
export const statusNames = ["critical", "unreachable", "warning", "unknown", "pending", "ok"] as const;
/** A status as the configuration writes it, in lower case. */
export type StatusName = (typeof statusNames)[number];

const namesByStatus: Readonly<Record<number, StatusName>> = {
  [Status.OK]: "ok",
  [Status.WARNING]: "warning",
  [Status.CRITICAL]: "critical",
  [Status.UNKNOWN]: "unknown",
  [Status.PENDING]: "pending",
  [Status.UNREACHABLE]: "unreachable",
};

/** Name of a status on the wire. An unset status, or one of a newer server, is `unknown`, never `ok`. */
export const statusNameOf = (status: Status): StatusName => namesByStatus[status] ?? "unknown";

export const isSoftState = (type: StateType): boolean => type === StateType.SOFT;

export const isProblemStatus = (name: StatusName): boolean => name !== "ok" && name !== "pending";

/** Severity of a status, higher is worse; the same order as the server's `severity`. */
export const severityRank = (name: StatusName): number => statusNames.length - statusNames.indexOf(name);
