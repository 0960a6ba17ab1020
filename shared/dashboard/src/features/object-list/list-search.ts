import type { Status } from "@realmwatch/shared/model/status";
import { statusNames } from "@realmwatch/shared/view/row-status";
import { quoteSelectorValue } from "../../api/status/object-key.ts";
import { searchTexts } from "../../components/controls/search-texts.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";
import { parseSearchText } from "./search/search-text.ts";

/** Search parameters of a list page. All are optional texts, so that links stay short and readable. */
export type ListSearch = {
  q?: string;
  realm?: string;
  /** Status names, joined by commas. */
  status?: string;
  kind?: string;
  /** `1`: includes handled problems. */
  handled?: string;
  /** `0`: excludes soft problems. */
  soft?: string;
  /** Column to sort by, reversed with a leading `-`; most severe first by default. */
  sort?: string;
  /** `host`, `realm`, `cause`, or `label:` with the key of a label: rows are grouped. */
  group?: string;
  /** Ids of the displayed columns, joined by commas; those of the page by default. */
  cols?: string;
  /** Time of the past to display, ISO 8601; the present by default. */
  at?: string;
};

const textsOf = searchTexts("q", "realm", "status", "kind", "handled", "soft", "sort", "group", "cols", "at");

/** Parses search parameters; drops unknown and empty ones. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const { at, ...search } = textsOf(raw);
  return at === undefined || parsePastInstant(at) === undefined ? search : { ...search, at };
}

/** Statuses that the list is filtered by; empty means all. Unknown names are ignored. */
export const selectedStatuses = (search: ListSearch): readonly Status[] =>
  statusNames.filter((word) => search.status?.split(",").includes(word));

/** Selector of the objects that a search finds; empty for a search that no selector expresses, such as text in names. */
export function selectorOfSearch(search: ListSearch): string {
  const text = parseSearchText(search.q ?? "");
  if ("search" in text && text.search !== "") return "";
  const statuses = selectedStatuses(search);
  const parts = [
    "selector" in text ? text.selector : "",
    statuses.length === 0 ? "" : `@status in (${statuses.join(",")})`,
    search.kind === undefined ? "" : `@kind=${search.kind}`,
    search.realm === undefined ? "" : `@realm=${quoteSelectorValue(search.realm)}`,
  ];
  return parts.filter((part) => part !== "").join(",");
}
