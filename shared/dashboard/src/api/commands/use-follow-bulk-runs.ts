import type { Client } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useEffect } from "react";
import { useAppContext } from "../context/app-context.tsx";
import { useStoreValue, type ValueStore } from "../context/value-store.ts";
import { pollMs } from "../status/overview.ts";
import { bulkRowsRequest, rowsOfResponse } from "./bulk-rows.ts";
import { type BulkRun, isFollowed, withRows, withRun } from "./bulk-run.ts";

/** Polls the rows of bulk commands until their effect is visible; one component does so. */
export function useFollowBulkRuns(): void {
  const { bulkRuns, query, clock } = useAppContext();
  const isActive = useStoreValue(bulkRuns, (runs) => runs.some((run) => isFollowed(run, clock.now())));
  useEffect(() => {
    if (!isActive) return;
    const abort = new AbortController();
    let polling = false;
    const poll = async (): Promise<void> => {
      if (polling || document.hidden) return;
      polling = true;
      const followed = bulkRuns.get().filter((run) => isFollowed(run, clock.now()));
      // A failed poll is repeated; the page has its error beside the state of the connection.
      await Promise.allSettled(followed.map((run) => pollRun(run, { bulkRuns, query, signal: abort.signal })));
      polling = false;
    };
    const stop = clock.every(pollMs.pending, () => void poll());
    return () => {
      stop();
      abort.abort();
    };
  }, [isActive, bulkRuns, query, clock]);
}

type Poll = {
  readonly bulkRuns: ValueStore<readonly BulkRun[]>;
  readonly query: Client<typeof QueryService>;
  readonly signal: AbortSignal;
};

/** Fetches the rows that changed since the last poll of a run, and counts those with the effect. */
async function pollRun(run: BulkRun, { bulkRuns, query, signal }: Poll): Promise<void> {
  const response = await query.listStatus(bulkRowsRequest(run), { signal });
  const rows = rowsOfResponse(response, run);
  // The changes are not known any more: the next poll has all rows that match.
  const revision = response.full === true ? "" : response.revision;
  bulkRuns.set((runs) =>
    withRun(runs, run.id, (now) => {
      // An answer that arrived meanwhile begins again with the rows since the start.
      const isSame = now.revision === run.revision && now.settledAtMs === run.settledAtMs;
      return { ...withRows(now, rows), revision: isSame ? revision : now.revision };
    }),
  );
}
