import { isHostDown, type Status } from "@realmwatch/shared/model/status";

/** What a host's parents say. `all_down`: there are parents, and each is down or unreachable. */
export type ParentsState = "none" | "some_up" | "all_down";

/** [RE1] Down or unreachable: nothing behind this host can be judged. */
export const isDownOrUnreachable = (hostStatus: Status): boolean => isHostDown(hostStatus) || hostStatus === "unreachable";

/** A host's state in a word; one that was never checked counts as up, and so does a warning one. */
export type HostState = "up" | "down" | "unreachable";

export function hostStateOf(hostStatus: Status): HostState {
  if (hostStatus === "unreachable") return "unreachable";
  return isHostDown(hostStatus) ? "down" : "up";
}

export function parentsState(parentStatuses: readonly Status[]): ParentsState {
  if (parentStatuses.length === 0) return "none";
  return parentStatuses.every(isDownOrUnreachable) ? "all_down" : "some_up";
}

/** [RE3] What a result says of the host itself: a submitted `unreachable` is down first. */
export const ownHostStatus = (status: Status): Status => (status === "unreachable" ? "critical" : status);

/**
 * [RE2-RE3] A host's own result in the light of its parents: where it would be down and no parent is up,
 * nobody can tell, and it is unreachable.
 */
export function translateHostStatus(status: Status, parents: ParentsState): Status {
  const own = ownHostStatus(status);
  return isHostDown(own) && parents === "all_down" ? "unreachable" : own;
}
