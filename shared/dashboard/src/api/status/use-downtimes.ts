import { useQuery } from "@connectrpc/connect-query";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useMemo } from "react";
import { type DowntimeGroup, groupDowntimes } from "./downtime-list.ts";
import { pollMs, usePollInterval } from "./overview.ts";
import { statusItemsOf } from "./status-item.ts";

/** Interval between polls of the downtimes, ms; they are polled like other rows while a command is pending. */
const downtimesPollMs = 10_000;

/** Polls the downtimes of all objects, in effect and scheduled; undefined before the first response. */
export function useDowntimes(): { downtimes: readonly DowntimeGroup[] | undefined; error: Error | null } {
  const intervalMs = usePollInterval();
  const { data, error } = useQuery(
    QueryService.method.listStatus,
    { withDowntimes: true, omitRealms: true, sort: "name" },
    { refetchInterval: intervalMs === pollMs.pending ? intervalMs : downtimesPollMs },
  );
  const downtimes = useMemo(() => data && groupDowntimes(statusItemsOf(data.rows)), [data]);
  return { downtimes, error };
}
