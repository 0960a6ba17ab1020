import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListSearch } from "./list-search.ts";

/** The list's search as the address has it, and how to change parts of it; an empty part leaves the address. */
export function useListSearch(from: "/" | "/objects"): [ListSearch, (part: ListSearch) => void] {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const change = (part: ListSearch): void =>
    // Typing must not fill the history, and the page stays where it is.
    void navigate({ search: (before: ListSearch) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return [search, change];
}
