import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { Status } from "@realmwatch/shared/model/status";
import { statusNames } from "@realmwatch/shared/view/row-status";
import { countsByStatus, totalOf } from "../../api/status/status-counts.ts";

/** Kinds of objects by their names in addresses. */
export const kinds = [
  { name: "host", kind: ObjectKind.HOST, label: "Hosts" },
  { name: "service", kind: ObjectKind.SERVICE, label: "Services" },
  { name: "process", kind: ObjectKind.PROCESS, label: "Processes" },
] as const;

/** Number of objects of one kind and status, or of one status. `lastKnown` of them are of realms that are not current. */
export type Count = { readonly count: number; readonly lastKnown: number };

/** Counts objects of a status; of all kinds when `kind` is undefined. */
export const countOf = (summary: StatusSummary | undefined, status: Status, kind?: ObjectKind): Count => ({
  count: countsByStatus(summary, kind).get(status) ?? 0,
  lastKnown: countsByStatus(summary?.lastKnown, kind).get(status) ?? 0,
});

/** Counts objects of all statuses. */
export const countOfAll = (summary: StatusSummary | undefined, kind?: ObjectKind): Count => ({
  count: totalOf(summary, kind),
  lastKnown: totalOf(summary?.lastKnown, kind),
});

/** Statuses whose columns are displayed even when no object has them. */
const usual: readonly Status[] = ["critical", "warning", "ok"];

/** Statuses in the order of the columns, without those that no object has. */
export const statusColumnsOf = (summary: StatusSummary | undefined): readonly Status[] =>
  statusNames.filter((status) => usual.includes(status) || countOf(summary, status).count > 0);
