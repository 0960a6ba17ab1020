import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { type LabelCount, QueryService, type StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import type { ListRequest } from "./list-request.ts";
import { useCountsPollInterval } from "./overview.ts";

type FollowedSummary = { readonly summary: StatusSummary | undefined; readonly error: Error | null };

/** Polls the counts of the rows that match; of a time of the past they are fetched once. */
export function useSummary(request: Omit<ListRequest, "sort">, enabled = true): FollowedSummary {
  const intervalMs = useCountsPollInterval();
  const { atMs, ...conditions } = request;
  const at = atMs === undefined ? {} : { at: timestampFromMs(atMs) };
  const { data, error } = useQuery(
    QueryService.method.listStatus,
    { ...conditions, ...at, summaryOnly: true, omitRealms: true },
    { enabled, ...(atMs === undefined ? { refetchInterval: intervalMs } : { staleTime: Number.POSITIVE_INFINITY }) },
  );
  return { summary: data?.summary, error };
}

/** Polls the labels that most unhandled problems have, the most frequent first; undefined before the first response. */
export function useLabelCounts(): readonly LabelCount[] | undefined {
  const refetchInterval = useCountsPollInterval();
  const { data } = useQuery(
    QueryService.method.listStatus,
    { unhandledOnly: true, summaryOnly: true, byLabel: true, omitRealms: true },
    { refetchInterval },
  );
  return data?.labelCounts;
}
