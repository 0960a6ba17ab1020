import { useQuery } from "@connectrpc/connect-query";
import { QueryService, type View } from "@realmwatch/proto/svc/v1/query_pb";

/** Interval between polls of the views, ms; they change only with the configuration. */
const pollMs = 60_000;

/** Views of all realms; undefined before the first response. */
export function useViews(): { views: readonly View[] | undefined; error: Error | null } {
  const { data, error } = useQuery(QueryService.method.listViews, {}, { refetchInterval: pollMs });
  return { views: data?.views, error };
}
