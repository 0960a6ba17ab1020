import { useEffect, useMemo, useState } from "react";
import { useAppContext } from "../context/app-context.tsx";
import { useStoreValue } from "../context/value-store.ts";
import type { ListPages } from "./list-pages.ts";
import { isEveryUnhandled, type ListRequest } from "./list-request.ts";
import { useOverviewFeeder, usePollInterval } from "./overview.ts";
import { StatusList } from "./status-list.ts";

export type FollowedList = Pick<StatusList, "show" | "refresh" | "fetchAll"> & {
  /** Loaded pages; those of the request before while the first page of a new request is loading. */
  readonly list: ListPages | undefined;
  /** True until the first page of the request has arrived. */
  readonly loading: boolean;
  readonly error: Error | null;
};

/** Follows a list of the present, or fetches it once for a time of the past. */
export function useStatusList(request: ListRequest): FollowedList {
  const { query, clock } = useAppContext();
  const intervalMs = usePollInterval(isEveryUnhandled(request) ? "usual" : "rows");
  const key = JSON.stringify(request);
  const feedOverview = useOverviewFeeder();
  const follower = useMemo(() => {
    const parsed = JSON.parse(key) as ListRequest;
    const onResponse = isEveryUnhandled(parsed) ? feedOverview : undefined;
    return new StatusList({ query, request: parsed, now: clock.now, onResponse });
  }, [query, key, clock, feedOverview]);
  useEffect(() => () => follower.close(), [follower]);
  const isPast = request.atMs !== undefined;
  useEffect(() => {
    void follower.poll();
    if (isPast) return;
    return clock.every(intervalMs, () => {
      if (!document.hidden) void follower.poll();
    });
  }, [follower, clock, intervalMs, isPast]);
  const { list, error } = useStoreValue(follower.state);
  const [shown, setShown] = useState(list);
  if (list !== undefined && list !== shown) setShown(list);
  const { show, refresh, fetchAll } = follower;
  return { list: list ?? shown, loading: list === undefined, error, show, refresh, fetchAll };
}
