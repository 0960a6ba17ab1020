import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { countsByStatus, worstOf } from "./status-counts.ts";

export type ProblemCount = {
  /** Unhandled problems of current realms. */
  readonly current: number;
  /** Unhandled problems of the other realms, as last known. */
  readonly stale: number;
  /** Objects behind these problems: unreachable, or suppressed because of them. */
  readonly behind: number;
  /** Most severe status of these problems; without any `ok`, or `pending` while a realm is not current. */
  readonly worst: Status;
};

/**
 * Counts the unhandled problems.
 *
 * @param unhandled summary of the unhandled problems
 * @param allCurrent true when every realm is current
 */
export function countProblems(unhandled: StatusSummary | undefined, allCurrent: boolean): ProblemCount {
  const stale = unhandled?.lastKnown?.unhandled ?? 0;
  const worst = worstOf([...countsByStatus(unhandled).keys()], allCurrent ? "ok" : "pending");
  return { current: (unhandled?.unhandled ?? 0) - stale, stale, behind: unhandled?.behind ?? 0, worst };
}
