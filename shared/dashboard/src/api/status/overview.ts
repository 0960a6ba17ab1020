import type { Client } from "@connectrpc/connect";
import type { Pair } from "@realmwatch/proto/svc/v1/pair_pb";
import type { ListStatusResponse, QueryService, Realm, StatusSummary } from "@realmwatch/proto/svc/v1/query_pb";
import { type UseQueryResult, useQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback } from "react";
import { useAppContext } from "../context/app-context.tsx";
import type { BrowserClock } from "../context/browser-clock.ts";
import { useRecentChange } from "../context/use-recent-change.ts";
import { useStoreValue } from "../context/value-store.ts";
import type { ListPages } from "./list-pages.ts";

/** Unhandled problems and realms, polled on every page. Each poll makes a new overview. */
type Overview = Pick<ListPages, "revision" | "atMs"> & {
  /** Counts of the unhandled problems of all realms. */
  readonly unhandled: StatusSummary | undefined;
  /** On an aggregator, every configured realm; empty on an agent. */
  readonly realms: readonly Realm[];
  /** On an agent that is a member of a pair: what it knows of the pair. */
  readonly pair: Pair | undefined;
};

/**
 * Intervals between polls, ms, with which an idle page makes at most one request in 2 s: of the list that feeds the
 * overview, of the rows of any other page, of the overview beside them, and of counts while they do not change. The
 * shortest one applies while the effect of a command is not visible yet.
 */
export const pollMs = { usual: 4_000, rows: 5_000, overview: 6_000, counts: 60_000, pending: 1_000 } as const;
/** Age of the last response up to which the connection counts as live, ms. */
export const liveWithinMs = 10_000;

const queryKey = ["overview"] as const;

/**
 * Latest overview, without polling. It has no query function on purpose: `invalidateQueries` then runs the one of
 * `useOverviewFeed`.
 */
export const useOverview = (): UseQueryResult<Overview> => useQuery<Overview>({ queryKey, enabled: false });

/** Realm of a name; undefined on an agent, which has one realm, and before the first response. */
export const useRealm = (name: string): Realm | undefined =>
  useOverview().data?.realms.find((realm) => realm.name === name);

/**
 * Polls the overview; one component does so. Polling stops while the tab is hidden; a failed poll keeps the last good
 * overview next to its error.
 */
export function useOverviewFeed(): void {
  const { query, clock } = useAppContext();
  const queryClient = useQueryClient();
  // Longer than that of a list which feeds the overview, so that a page with such a list makes one request instead of two.
  const intervalMs = usePollInterval("overview");
  const refetchInterval = intervalMs === pollMs.pending ? intervalMs + 500 : intervalMs;
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
export function usePollInterval(idle: keyof typeof pollMs = "rows"): number {
  const { pending } = useAppContext();
  return useStoreValue(pending, (marks) => (marks.length > 0 ? pollMs.pending : pollMs[idle]));
}

/** Interval between polls of counts beside a list, ms: short for a while after the unhandled problems have changed. */
export function useCountsPollInterval(): number {
  const { data } = useOverview();
  const { unhandled } = data?.unhandled ?? {};
  const counts = data?.unhandled?.counts.map(({ kind, status, count }) => [kind, status, count]);
  return usePollInterval(useRecentChange(data && JSON.stringify([unhandled, counts])) ? "usual" : "counts");
}

type Poll = { query: Client<typeof QueryService>; clock: BrowserClock; signal: AbortSignal };

async function poll({ query, clock, signal }: Poll, before: Overview | undefined): Promise<Overview> {
  const changedSince = before?.revision ?? "";
  const response = await query.listStatus({ unhandledOnly: true, summaryOnly: true, changedSince }, { signal });
  return mergeOverview(before, response, clock.now());
}

/** Merges a response: the first one, and one marked `full`, has all realms, any other the changed ones. */
function mergeOverview(before: Overview | undefined, response: ListStatusResponse, atMs: number): Overview {
  const { summary: unhandled, realms, pair, revision, full } = response;
  const known = before === undefined || full === true ? [] : before.realms;
  const byName = new Map([...known, ...realms].map((realm) => [realm.name, realm]));
  return { unhandled, realms: realms.length === 0 ? known : [...byName.values()], pair, revision, atMs };
}
