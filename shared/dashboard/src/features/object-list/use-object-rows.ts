import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { type FollowedList, useStatusList } from "../../api/status/use-status-list.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { type ListScope, listRequestOf, sortColumnOf } from "./list-request-of.ts";
import type { ListSearch } from "./list-search.ts";

export type ObjectRows = FollowedList & {
  /** Counts of the rows that match all conditions but the statuses. */
  readonly chips: StatusSummary | undefined;
  /** Time of the past that is displayed, Unix ms; undefined for the present. */
  readonly pastMs: number | undefined;
  /** Selector of the request: that of the view and that of the search field. */
  readonly selector: string;
  /** Column that the list is sorted by. */
  readonly sortColumn: string;
};

/** Rows of a list page, and the counts of its chips. */
export function useObjectRows(search: ListSearch, scope: ListScope, viewSelector = ""): ObjectRows {
  const request = listRequestOf(search, scope, viewSelector);
  const followed = useStatusList(request);
  const isNarrowed = (request.statuses?.length ?? 0) > 0;
  const { sort: _, ...conditions } = request;
  const { selector = "" } = request;
  const { summary } = useSummary({ ...conditions, statuses: [] }, isNarrowed);
  return {
    ...followed,
    chips: isNarrowed ? summary : followed.list?.summary,
    pastMs: request.atMs,
    selector,
    sortColumn: sortColumnOf(search, scope),
  };
}
