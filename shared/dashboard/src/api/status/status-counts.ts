import type { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { type Status, severityOf } from "@realmwatch/shared/model/status";
import { statusNameOf } from "@realmwatch/shared/view/row-status";

/** Number of objects of each status that a summary counts: of one kind, or of all. */
export function countsByStatus(summary: StatusSummary | undefined, kind?: ObjectKind): ReadonlyMap<Status, number> {
  const counts = new Map<Status, number>();
  for (const of of summary?.counts ?? []) {
    const status = statusNameOf(of.status);
    if (kind === undefined || of.kind === kind) counts.set(status, (counts.get(status) ?? 0) + of.count);
  }
  return counts;
}

/** Number of objects that a summary counts: of one kind, or of all. */
export const totalOf = (summary: StatusSummary | undefined, kind?: ObjectKind): number =>
  (summary?.counts ?? [])
    .filter((one) => kind === undefined || one.kind === kind)
    .reduce((sum, { count }) => sum + count, 0);

/** Most severe of some statuses; `least` when none is more severe than that. */
export const worstOf = (statuses: readonly Status[], least: Status): Status =>
  statuses.reduce((worst, status) => (severityOf[status] > severityOf[worst] ? status : worst), least);
