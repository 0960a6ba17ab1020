import type { Client } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import type { BrowserClock } from "../context/browser-clock.ts";
import { useStoreValue } from "../context/value-store.ts";
import { mergeStatus, type StatusSnapshot } from "./merge-status.ts";

/** Scope of a feed. `overview` yields the counts over all objects; its single row is not used. */
export type StatusFeedScope = "problems" | "everything" | "overview";

/** Interval between polls, ms; the shorter one applies while the effect of a command is not visible yet. */
const pollMs = { usual: 3_000, pending: 1_000 } as const;
/** Age of the last response up to which the connection counts as live, ms. */
export const liveWithinMs = 10_000;

const requests = {
  problems: { problemsOnly: true },
  everything: {},
  overview: { pageSize: 1 },
} as const satisfies Record<StatusFeedScope, object>;

/**
 * Latest snapshot of a feed, without polling. It has no query function on purpose: `invalidateQueries` then runs the
 * one of `useStatusFeed`.
 */
export function useStatusSnapshot(scope: StatusFeedScope): UseQueryResult<StatusSnapshot> {
  return useQuery<StatusSnapshot>({ queryKey: ["status", scope], enabled: false });
}

/**
 * Polls the rows of a scope; one component does so for each scope. The first call fetches all rows, later ones only
 * changes. Polling stops while the tab is hidden; a failed poll keeps the last good rows next to its error.
 */
export function useStatusFeed(scope: StatusFeedScope): UseQueryResult<StatusSnapshot> {
  const { query, clock, pending } = useAppContext();
  const queryClient = useQueryClient();
  const waiting = useStoreValue(pending, (marks) => marks.length > 0);
  const queryKey = ["status", scope];
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => {
      const before = queryClient.getQueryData<StatusSnapshot>(queryKey);
      return poll({ query, clock, signal }, scope, before);
    },
    refetchInterval: waiting ? pollMs.pending : pollMs.usual,
    structuralSharing: false,
  });
}

type Poll = { query: Client<typeof QueryService>; clock: BrowserClock; signal: AbortSignal };

async function poll(
  { query, clock, signal }: Poll,
  scope: StatusFeedScope,
  before: StatusSnapshot | undefined,
): Promise<StatusSnapshot> {
  // The overview holds one row only, so changes cannot be merged into it.
  const changedSince = scope === "overview" ? "" : (before?.revision ?? "");
  const answer = await query.listStatus({ ...requests[scope], changedSince }, { signal });
  return mergeStatus(scope === "overview" ? undefined : before, answer, clock.now());
}
