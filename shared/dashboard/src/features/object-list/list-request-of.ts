import type { ObjectKind } from "@realmwatch/shared/model/object-key";
import { objectKindCodec, statusCodec } from "@realmwatch/shared/wire/fields/enums";
import type { ListRequest } from "../../api/status/list-request.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";
import { type ListSearch, selectedStatuses } from "./list-search.ts";
import { parseSearchText } from "./search/search-text.ts";

/** Condition that a page adds to those of its search. */
export type ListScope = "problems" | "everything" | "view" | "overdue" | "muted";

/** Orders of the server by column; times are sorted with the newest first. */
const sortByColumn: Readonly<Record<string, string>> = {
  state: "severity",
  object: "name",
  since: "-lastChange",
  checked: "-lastCheck",
};

/** Column that a list is sorted by unless its search has another one. */
const defaultSorts: Readonly<Record<ListScope, string>> = {
  problems: "state",
  everything: "object",
  view: "state",
  overdue: "-checked",
  muted: "-since",
};

/** Request for the rows of a list page. `viewSelector` has to match in addition; empty for none. */
export function listRequestOf(search: ListSearch, scope: ListScope, viewSelector = ""): ListRequest {
  const text = parseSearchText(search.q ?? "");
  const selectors = [viewSelector, "selector" in text ? text.selector : ""].filter((part) => part !== "");
  const kind = objectKindCodec.toProto(search.kind as ObjectKind | undefined);
  const atMs = parsePastInstant(search.at);
  const statuses = selectedStatuses(search).map(statusCodec.toProto);
  return {
    selector: selectors.join(","),
    ...("search" in text ? { search: text.search, searchOutput: true } : {}),
    realm: search.realm ?? "",
    kinds: kind === 0 ? [] : [kind],
    statuses,
    problemsOnly: scope === "problems",
    unhandledOnly: scope === "problems" && search.handled !== "1",
    hardOnly: search.soft === "0",
    overdueOnly: scope === "overdue",
    mutedOnly: scope === "muted",
    sort: sortOf(sortColumnOf(search, scope)),
    ...(atMs === undefined ? {} : { atMs }),
  };
}

/** Column that a list is sorted by: that of its search, else that of its scope. */
export function sortColumnOf({ sort }: ListSearch, scope: ListScope): string {
  return sort !== undefined && sort.replace(/^-/, "") in sortByColumn ? sort : defaultSorts[scope];
}

/** Order of the server for a column; a leading `-` reverses it. */
function sortOf(column: string): string {
  const sort = sortByColumn[column.replace(/^-/, "")] ?? "severity";
  if (!column.startsWith("-")) return sort;
  return sort.startsWith("-") ? sort.slice(1) : `-${sort}`;
}
