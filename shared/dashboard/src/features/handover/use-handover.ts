import { createClient } from "@connectrpc/connect";
import { type HistoryRecord, QueryService, type UnansweredRealm } from "@realmwatch/proto/svc/v1/query_pb";
import {
  type Handover,
  handoverRequests,
  type Shift,
  workOutHandover,
} from "@realmwatch/shared/view/handover/handover";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { optionalMs } from "../../api/status/status-item.ts";
import { shiftRange } from "./shift-range.ts";

const pollMs = 60_000;
/** Pages of history that a handover reads at most, of 1 000 records each. */
const maxPages = 20;

type ReadHandover = {
  readonly handover: Handover;
  readonly unanswered: readonly UnansweredRealm[];
  /** Time of the oldest record that was read, when there are more, Unix ms. */
  readonly cutAtMs: number | undefined;
};
type Queries = ReturnType<typeof createClient<typeof QueryService>>;

/** Handover of the shift that the address names; undefined before the first answer. */
export function useHandover(since: string | undefined, until: string | undefined, realm: string) {
  const { transport, clock } = useAppContext();
  const zone = usePreference("zone");
  const { data, error } = useQuery({
    queryKey: ["handover", since, until, realm, zone],
    queryFn: ({ signal }) => {
      const nowMs = clock.now();
      const shift = { ...shiftRange({ since, until }, nowMs, zone), realm };
      return readHandover(createClient(QueryService, transport), { shift, nowMs, signal });
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  });
  return { read: data, error };
}

type HandoverCall = { readonly shift: Shift; readonly nowMs: number; readonly signal: AbortSignal };

async function readHandover(queries: Queries, { shift, nowMs, signal }: HandoverCall): Promise<ReadHandover> {
  const requests = handoverRequests(shift, nowMs);
  const [problems, withDowntimes, { contacts }, history] = await Promise.all([
    queries.listStatus(requests.problems, { signal }),
    queries.listStatus(requests.withDowntimes, { signal }),
    queries.listContacts({}, { signal }),
    readHistory(queries, requests.history, signal),
  ]);
  const { records, unanswered, cutAtMs } = history;
  const rows = [...problems.rows, ...withDowntimes.rows];
  const handover = workOutHandover({ shift, records, rows, contacts, realms: problems.realms });
  return { handover, unanswered, cutAtMs };
}

async function readHistory(
  queries: Queries,
  request: ReturnType<typeof handoverRequests>["history"],
  signal: AbortSignal,
) {
  const records: HistoryRecord[] = [];
  const unanswered = new Map<string, UnansweredRealm>();
  let pageToken = "";
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await queries.listHistory({ ...request, pageToken }, { signal });
    records.push(...page.records);
    for (const missing of page.unanswered) unanswered.set(missing.realm, missing);
    pageToken = page.nextPageToken;
    if (pageToken === "") break;
  }
  const cutAtMs = pageToken === "" ? undefined : optionalMs(records.at(-1)?.at);
  return { records, unanswered: [...unanswered.values()], cutAtMs };
}
