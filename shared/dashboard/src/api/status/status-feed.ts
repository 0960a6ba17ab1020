import type { Client } from "@connectrpc/connect";
import type { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import type { BrowserClock } from "../context/browser-clock.ts";
import { useStoreValue } from "../context/value-store.ts";
import { mergeStatus, type StatusSnapshot } from "./merge-status.ts";

/** What a feed follows. `overview` brings the counts over everything and no rows worth having. */
export type StatusFeedScope = "problems" | "everything" | "overview";

/** Between two polls, ms; the shorter one while a command waits to be seen. */
const pollMs = { usual: 3_000, pending: 1_000 } as const;
/** A connection counts as live while its last answer is younger, ms. */
export const liveWithinMs = 10_000;

const requests = {
  problems: { problemsOnly: true },
  everything: {},
  overview: { pageSize: 1 },
} as const satisfies Record<StatusFeedScope, object>;

/**
 * What the feed of `scope` knows, without polling: for whatever stands beside the one that follows it. It names no
 * function to ask with, so that whoever wants all queries asked again at once gets the follower's.
 */
export function useStatusSnapshot(scope: StatusFeedScope): UseQueryResult<StatusSnapshot> {
  return useQuery<StatusSnapshot>({ queryKey: ["status", scope], enabled: false });
}

/**
 * Follows a part of the fleet. One place of the page does so for each scope. The first call brings all of it, the later ones what changed since. Stops
 * while the tab is hidden; a failed poll keeps the last good rows beside its error.
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
  // A page of one row is no row set that changes could be merged into.
  const changedSince = scope === "overview" ? "" : (before?.revision ?? "");
  const answer = await query.listStatus({ ...requests[scope], changedSince }, { signal });
  return mergeStatus(scope === "overview" ? undefined : before, answer, clock.now());
}
