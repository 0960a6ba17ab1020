import { useQuery } from "@connectrpc/connect-query";
import { QueryService, type View } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import { joinViews, type TeamView } from "./team-views.ts";

/** Interval between polls of the views, ms: a view that was deleted in a realm is gone here a moment later. */
const pollMs = 15_000;

type Views = {
  /** Views of each realm; undefined before the first response. */
  readonly views: readonly View[] | undefined;
  readonly joined: readonly TeamView[] | undefined;
  readonly error: Error | null;
};

/** Views of all realms and of the aggregator. */
export function useViews(): Views {
  const { data, error } = useQuery(QueryService.method.listViews, {}, { refetchInterval: pollMs });
  // The same list until the answer changes: the rotation of the wall begins anew with another one.
  const joined = useMemo(() => data && joinViews(data.views), [data]);
  return { views: data?.views, joined, error };
}
