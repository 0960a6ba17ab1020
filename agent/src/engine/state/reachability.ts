import { isHostDown, type Status } from "@realmwatch/shared/model/status";

/** Combined state of a host's parents. `all_down`: there are parents, and each is down or unreachable. */
export type ParentsState = "none" | "some_up" | "all_down";

/** [RE1] True when objects behind a host with this status cannot be judged. */
export const isDownOrUnreachable = (hostStatus: Status): boolean =>
  isHostDown(hostStatus) || hostStatus === "unreachable";

/** Host state; pending and warning hosts count as up. */
export type HostState = "up" | "down" | "unreachable";

export function hostStateOf(hostStatus: Status): HostState {
  if (hostStatus === "unreachable") return "unreachable";
  return isHostDown(hostStatus) ? "down" : "up";
}

export function parentsState(parentStatuses: readonly Status[]): ParentsState {
  if (parentStatuses.length === 0) return "none";
  return parentStatuses.every(isDownOrUnreachable) ? "all_down" : "some_up";
}

/** [RE3] Status of the host itself: a submitted `unreachable` counts as critical before the parents are considered. */
export const ownHostStatus = (status: Status): Status => (status === "unreachable" ? "critical" : status);

/** [RE2-RE3] Status of a host with regard to its parents: unreachable when it would be down and no parent is up. */
export function translateHostStatus(status: Status, parents: ParentsState): Status {
  const own = ownHostStatus(status);
  return isHostDown(own) && parents === "all_down" ? "unreachable" : own;
}
