import { useNavigate, useSearch } from "@tanstack/react-router";
import type { ListSearch } from "./list-search.ts";

/** Routes of pages with one list of objects. */
type ListRoute = "/" | "/objects" | "/overdue" | "/muted" | "/views/$view";

/** The list's search as the address has it, and how to change parts of it; an empty part leaves the address. */
export function useListSearch(from: ListRoute): [ListSearch, (part: ListSearch) => void] {
  const search = useSearch({ from });
  const navigate = useNavigate({ from });
  const change = (part: ListSearch): void =>
    // Typing must not fill the history, and the page stays where it is.
    void navigate({
      search: (before: ListSearch & { wall?: string }) => ({ ...before, ...part }),
      replace: true,
      resetScroll: false,
    });
  return [search, change];
}
