import { useQuery } from "@connectrpc/connect-query";
import { QueryService, type StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import { useCountsPollInterval } from "./overview.ts";

/** Counts over all objects of a realm, or of all realms. */
export type Totals = {
  /** Counts of all realms; undefined before the first response. */
  readonly summary: StatusSummary | undefined;
  /** Counts by name of the realm; empty before the first response. */
  readonly byRealm: ReadonlyMap<string, StatusSummary>;
};

/** Polls the counts of all objects and of each realm in one request. */
export function useTotals(): Totals {
  const refetchInterval = useCountsPollInterval();
  const { data } = useQuery(
    QueryService.method.listStatus,
    { summaryOnly: true, byRealm: true, omitRealms: true },
    { refetchInterval },
  );
  const byRealm = useMemo(
    () => new Map((data?.realmSummaries ?? []).flatMap(({ realm, summary }) => (summary ? [[realm, summary]] : []))),
    [data],
  );
  return { summary: data?.summary, byRealm };
}
