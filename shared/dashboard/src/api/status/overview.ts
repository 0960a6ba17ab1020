import type { Client } from "@connectrpc/connect";
import type { ListStatusResponse, QueryService, Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useAppContext } from "../context/app-context.tsx";
import type { BrowserClock } from "../context/browser-clock.ts";
import { useStoreValue } from "../context/value-store.ts";
import { mergeRealms } from "./merge-realms.ts";

/** Unhandled problems and realms, polled on every page. Each poll makes a new overview. */
type Overview = {
  /** Counts of the unhandled problems of all realms. */
  readonly unhandled: StatusSummary | undefined;
  /** On an aggregator, every configured realm; empty on an agent. */
  readonly realms: readonly Realm[];
  /** Value of `changedSince` for the next poll. */
  readonly revision: string;
  /** Time at which the response arrived, Unix ms of this browser. */
  readonly atMs: number;
};

/** Interval between polls, ms; the shortest one applies while the effect of a command is not visible yet. */
export const pollMs = { usual: 4_000, counts: 12_000, pending: 1_000 } as const;
/** Age of the last response up to which the connection counts as live, ms. */
export const liveWithinMs = 10_000;

const queryKey = ["overview"] as const;

/**
 * Latest overview, without polling. It has no query function on purpose: `invalidateQueries` then runs the one of
 * `useOverviewFeed`.
 */
export const useOverview = (): UseQueryResult<Overview> => useQuery<Overview>({ queryKey, enabled: false });

/**
 * Polls the overview; one component does so. Polling stops while the tab is hidden; a failed poll keeps the last good
 * overview next to its error.
 */
export function useOverviewFeed(): void {
  const { query, clock } = useAppContext();
  const queryClient = useQueryClient();
  // Longer than that of a list which feeds the overview, so that a page with such a list makes one request instead of two.
  const refetchInterval = usePollInterval() + 500;
  useQuery({
    queryKey,
    queryFn: ({ signal }) => poll({ query, clock, signal }, queryClient.getQueryData<Overview>(queryKey)),
    refetchInterval,
    structuralSharing: false,
  });
}

/**
 * Returns a receiver of the responses of a list that has all unhandled problems, whose counts and realms are those of
 * the overview. `isFirst`: the response has all realms, not only changed ones.
 */
export function useOverviewFeeder(): (response: ListStatusResponse, isFirst: boolean) => void {
  const { clock } = useAppContext();
  const queryClient = useQueryClient();
  return useCallback(
    (response, isFirst) =>
      queryClient.setQueryData<Overview>(queryKey, (before) =>
        mergeOverview(isFirst ? undefined : before, response, clock.now()),
      ),
    [queryClient, clock],
  );
}

/** Interval between polls, ms. */
export function usePollInterval(): number {
  const { pending } = useAppContext();
  return useStoreValue(pending, (marks) => (marks.length > 0 ? pollMs.pending : pollMs.usual));
}

/** Interval between polls of counts beside a list, ms: longer, so that an idle page makes less than one request a second. */
export function useSlowPollInterval(): number {
  const usual = usePollInterval();
  return usual === pollMs.usual ? pollMs.counts : usual;
}

type Poll = { query: Client<typeof QueryService>; clock: BrowserClock; signal: AbortSignal };

async function poll({ query, clock, signal }: Poll, before: Overview | undefined): Promise<Overview> {
  const changedSince = before?.revision ?? "";
  const response = await query.listStatus({ unhandledOnly: true, summaryOnly: true, changedSince }, { signal });
  return mergeOverview(before, response, clock.now());
}

/** Merges a response: the first one, and one marked `full`, has all realms, any other the changed ones. */
function mergeOverview(before: Overview | undefined, response: ListStatusResponse, atMs: number): Overview {
  const { summary: unhandled, realms, revision, full } = response;
  const known = before === undefined || full === true ? [] : before.realms;
  return { unhandled, realms: mergeRealms(known, realms), revision, atMs };
}
