import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { statusNameOf, statusNames } from "@realmwatch/shared/view/row-status";

/** Kinds of objects by their names in addresses. */
export const kinds = [
  { name: "host", kind: ObjectKind.HOST, label: "Hosts" },
  { name: "service", kind: ObjectKind.SERVICE, label: "Services" },
  { name: "process", kind: ObjectKind.PROCESS, label: "Processes" },
] as const;

/** Number of objects of one kind and status, or of one status. `lastKnown` of them are of realms that are not current. */
export type Count = { readonly count: number; readonly lastKnown: number };

/** Counts objects of a status; of all kinds when `kind` is undefined. */
export function countOf(summary: StatusSummary | undefined, status: Status, kind?: ObjectKind): Count {
  const sum = (of: StatusSummary | undefined): number =>
    (of?.counts ?? []).reduce(
      (all, one) =>
        statusNameOf(one.status) === status && (kind === undefined || one.kind === kind) ? all + one.count : all,
      0,
    );
  return { count: sum(summary), lastKnown: sum(summary?.lastKnown) };
}

/** Sum of the counts of all statuses. */
export function countOfAll(summary: StatusSummary | undefined, kind?: ObjectKind): Count {
  const counts = statusNames.map((status) => countOf(summary, status, kind));
  return {
    count: counts.reduce((sum, { count }) => sum + count, 0),
    lastKnown: counts.reduce((sum, { lastKnown }) => sum + lastKnown, 0),
  };
}

/** Statuses whose columns are displayed even when no object has them. */
const usual: readonly Status[] = ["critical", "warning", "ok"];

/** Statuses in the order of the columns, without those that no object has. */
export const statusColumnsOf = (summary: StatusSummary | undefined): readonly Status[] =>
  statusNames.filter((status) => usual.includes(status) || countOf(summary, status).count > 0);
