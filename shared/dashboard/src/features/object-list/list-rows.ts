import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { QueryService, type Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import type { StatusSnapshot } from "../../api/status/merge-status.ts";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";
import type { ListSearch } from "./list-search.ts";

/** Time that rows of the past stay cached for stepping back and forth, ms. */
const cachedForMs = 120_000;
const fetchOnce = { staleTime: Number.POSITIVE_INFINITY, gcTime: cachedForMs, refetchOnWindowFocus: false } as const;

/** Rows that a list displays, of the present or of the past. */
export type ListRows = {
  /** Items by id; undefined until the server has answered. */
  readonly items: ReadonlyMap<string, StatusItem> | undefined;
  readonly realms: readonly Realm[];
  readonly error: Error | null;
  /** Time of the past that is displayed, Unix ms; undefined for the present. */
  readonly pastMs: number | undefined;
  /** Fetches the rows of the past again. */
  readonly retry: () => void;
};

type Live = { readonly data: StatusSnapshot | undefined; readonly error: Error | null };

/** Rows of `live`, or of the time in the address. Rows of the past do not change, so they are fetched once. */
export function useListRows(live: Live, search: ListSearch, problemsOnly: boolean): ListRows {
  const pastMs = parsePastInstant(search.at);
  const past = useQuery(
    QueryService.method.listStatus,
    { at: timestampFromMs(pastMs ?? 0), problemsOnly },
    { enabled: pastMs !== undefined, ...fetchOnce },
  );
  const rows = past.data?.rows;
  const pastItems = useMemo(
    () => rows && new Map(rows.map(statusItemOf).flatMap((item) => (item ? [[item.id, item]] : []))),
    [rows],
  );
  const realms = live.data?.realms ?? [];
  const retry = (): void => void past.refetch();
  return pastMs === undefined
    ? { items: live.data?.items, realms, error: live.error, pastMs, retry }
    : { items: pastItems, realms, error: past.error, pastMs, retry };
}

/** Counts over all objects at a time of the past, Unix ms. The single row of the response is not used. */
export const usePastSummary = (atMs: number) =>
  useQuery(QueryService.method.listStatus, { at: timestampFromMs(atMs), pageSize: 1 }, fetchOnce);
