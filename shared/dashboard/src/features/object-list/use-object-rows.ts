import type { StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { type FollowedList, useStatusList } from "../../api/status/use-status-list.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { type ListScope, listRequestOf, sortColumnOf } from "./list-request-of.ts";
import type { ListSearch } from "./list-search.ts";

/** List of a page: its search, and the rows that match. */
export type ObjectRows = FollowedList & {
  readonly scope: ListScope;
  /** Search as the address has it. */
  readonly search: ListSearch;
  /** Changes parts of the search; an empty part leaves the address. */
  readonly change: (part: ListSearch) => void;
  /** Counts of the rows that match all conditions but the statuses. */
  readonly chips: StatusSummary | undefined;
  /** Time of the past that is displayed, Unix ms; undefined for the present. */
  readonly pastMs: number | undefined;
  /** Selector of the request: that of the view and that of the search field. */
  readonly selector: string;
  /** Column that the list is sorted by. */
  readonly sortColumn: string;
};

const routes = {
  problems: "/",
  everything: "/objects",
  view: "/views/$view",
  overdue: "/overdue",
  muted: "/muted",
} as const satisfies Readonly<Record<ListScope, string>>;

/** Rows of the list page of a scope, and the counts of its chips. `viewSelector` has to match in addition. */
export function useObjectRows(scope: ListScope, viewSelector = ""): ObjectRows {
  const search: ListSearch = useSearch({ from: routes[scope] });
  const navigate = useNavigate({ from: routes[scope] });
  const request = listRequestOf(search, scope, viewSelector);
  const followed = useStatusList(request);
  const isNarrowed = (request.statuses?.length ?? 0) > 0;
  const { sort: _, ...conditions } = request;
  const { selector = "" } = request;
  const { summary } = useSummary({ ...conditions, statuses: [] }, isNarrowed);
  return {
    ...followed,
    ...{ scope, search, selector },
    // Typing must not fill the history, and the page stays where it is.
    change: (part) =>
      void navigate({
        search: (before: ListSearch & { wall?: string }) => ({ ...before, ...part }),
        replace: true,
        resetScroll: false,
      }),
    chips: isNarrowed ? summary : followed.list?.summary,
    pastMs: request.atMs,
    sortColumn: sortColumnOf(search, scope),
  };
}
