import { type StatusName, statusNames } from "../../api/status/status-name.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";

/** What a list's address says. Everything is text and may be left out, so that links stay short and readable. */
export type ListSearch = {
  q?: string;
  realm?: string;
  /** Status words joined by commas. */
  status?: string;
  kind?: string;
  /** `1`: also what somebody handles already. */
  handled?: string;
  /** `0`: without problems that are still being confirmed. */
  soft?: string;
  /** A column, `-` in front reverses; absent means worst first. */
  sort?: string;
  /** The instant that is shown, as ISO 8601; absent means now. */
  at?: string;
};

const fields = ["q", "realm", "status", "kind", "handled", "soft", "sort", "at"] as const;

/** Keeps the fields that a list knows and that say something. */
export function parseListSearch(raw: Record<string, unknown>): ListSearch {
  const search: ListSearch = {};
  for (const field of fields) {
    const value = raw[field];
    if (typeof value === "string" && value !== "") search[field] = value;
  }
  if (search.at !== undefined && parsePastInstant(search.at) === undefined) delete search.at;
  return search;
}

/** The statuses asked for; empty means all. Words that are none are left out. */
export const selectedStatuses = (search: ListSearch): readonly StatusName[] =>
  statusNames.filter((word) => search.status?.split(",").includes(word));
