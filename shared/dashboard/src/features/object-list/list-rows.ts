import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { QueryService, type Realm } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import type { StatusSnapshot } from "../../api/status/merge-status.ts";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { parsePastInstant } from "../../components/time/past-instant.ts";
import type { ListSearch } from "./list-search.ts";

/** How long an answer about the past is kept for whoever steps back and forth, ms. */
const keptForMs = 120_000;
const onceAsked = { staleTime: Number.POSITIVE_INFINITY, gcTime: keptForMs, refetchOnWindowFocus: false } as const;

/** What a list shows: as it is, or as it was. */
export type ListRows = {
  /** undefined until the server has answered. */
  readonly items: ReadonlyMap<string, StatusItem> | undefined;
  readonly realms: readonly Realm[];
  readonly error: Error | null;
  /** The instant that is shown, Unix ms; undefined where it is now. */
  readonly pastMs: number | undefined;
  /** Asks for the past again. */
  readonly retry: () => void;
};

type Live = { readonly data: StatusSnapshot | undefined; readonly error: Error | null };

/** The rows of `live`, or those of the instant in the address. What was does not change, so it is asked for once. */
export function useListRows(live: Live, search: ListSearch, problemsOnly: boolean): ListRows {
  const pastMs = parsePastInstant(search.at);
  const past = useQuery(
    QueryService.method.listStatus,
    { at: timestampFromMs(pastMs ?? 0), problemsOnly },
    { enabled: pastMs !== undefined, ...onceAsked },
  );
  const rows = past.data?.rows;
  const then = useMemo(
    () => rows && new Map(rows.map(statusItemOf).flatMap((item) => (item ? [[item.id, item]] : []))),
    [rows],
  );
  const realms = live.data?.realms ?? [];
  const retry = (): void => void past.refetch();
  return pastMs === undefined
    ? { items: live.data?.items, realms, error: live.error, pastMs, retry }
    : { items: then, realms, error: past.error, pastMs, retry };
}

/** What was known of all objects at an instant, Unix ms: counts, and no rows worth having. */
export const usePastSummary = (atMs: number) =>
  useQuery(QueryService.method.listStatus, { at: timestampFromMs(atMs), pageSize: 1 }, onceAsked);
