import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../../run/call.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";
import type { FederationEnvironment, SoakAggregator } from "./federation-environment.ts";
import { type JsonStatusRow, numbersOf, type RowFlow, type RowNumbers } from "./row-flow.ts";

type FreshnessWatch = {
  /** Number of rows compared, and of those that were stale. */
  counts(): { readonly rows: number; readonly stale: number };
  /** Rows that were older or newer than the realm's for too long without being stale. */
  failures(): readonly string[];
  stop(): Promise<void>;
};

/** Answer of an aggregator about one realm that it calls current. */
type CurrentAnswer = {
  readonly aggregator: string;
  readonly realm: FaultRealm;
  readonly startedMs: number;
  readonly endedMs: number;
  readonly numbers: RowNumbers;
};

const readEveryMs = 1_000;
/** Time to wait for the agent's rows after an answer, ms; an agent that is away has none. */
const decideAfterMs = 3_000;
const mostFailures = 20;

/**
 * Reads the rows of all aggregators repeatedly, and compares those of current realms with the agents' own: since
 * `mostOutdatedMs` before the answer the agent must have had the row at some time. A machine that is busy delays
 * both programs and their observation: the time that the answer took is allowed in addition.
 */
export function watchFreshness(
  { aggregators }: FederationEnvironment,
  flow: RowFlow,
  mostOutdatedMs: number,
): FreshnessWatch {
  const failures: string[] = [];
  const undecided: CurrentAnswer[] = [];
  const counts = { rows: 0, stale: 0 };
  let stopped = false;

  async function read({ name, program }: SoakAggregator): Promise<void> {
    const startedMs = performance.now();
    const answer = await call(program.base, "QueryService/ListStatus").catch(() => undefined);
    const endedMs = performance.now();
    if (!answer?.ok) return;
    const rows = (answer.body["rows"] ?? []) as JsonStatusRow[];
    const realms = (answer.body["realms"] ?? []) as { readonly name: FaultRealm; readonly freshness: string }[];
    for (const { name: realm, freshness } of realms) {
      const own = rows.filter((row) => row.realm === realm);
      const isCurrent = freshness === "REALM_FRESHNESS_CURRENT";
      counts.rows += own.length;
      if (!isCurrent) counts.stale += own.length;
      if (own.some(({ stale = false }) => stale === isCurrent))
        note(`${name}: rows of ${realm} contradict ${freshness}`);
      if (isCurrent) undecided.push({ aggregator: name, realm, startedMs, endedMs, numbers: numbersOf(own) });
    }
  }

  function note(failure: string): void {
    if (failures.length < mostFailures) failures.push(`${(performance.now() / 1_000).toFixed(1)} s: ${failure}`);
  }

  function decide(nowMs: number): void {
    const isDue = ({ realm, endedMs }: CurrentAnswer): boolean =>
      nowMs > endedMs + decideAfterMs || flow.own(realm).some((rows) => rows.startedMs > endedMs);
    for (const answer of undecided.filter(isDue)) {
      undecided.splice(undecided.indexOf(answer), 1);
      const failure = outdatedRow(answer, flow, mostOutdatedMs);
      if (failure !== undefined) note(failure);
    }
  }

  const loop = async (step: () => Promise<void>): Promise<void> => {
    while (!stopped) {
      await step();
      decide(performance.now());
      await sleep(readEveryMs);
    }
  };
  const running = Promise.all(aggregators.map((aggregator) => loop(() => read(aggregator))));
  return {
    counts: () => counts,
    failures: () => failures,
    async stop() {
      stopped = true;
      await running;
      decide(Number.POSITIVE_INFINITY);
    },
  };
}

function outdatedRow(
  { aggregator, realm, startedMs, endedMs, numbers }: CurrentAnswer,
  flow: RowFlow,
  mostOutdatedMs: number,
): string | undefined {
  const own = flow.own(realm);
  const sinceMs = startedMs - (endedMs - startedMs) - mostOutdatedMs;
  const first = own.findLastIndex(({ atMs }) => atMs <= sinceMs);
  const last = own.findIndex((rows) => rows.startedMs > endedMs);
  // Before the realm's first observation, nothing is known about its rows.
  if (first < 0) return undefined;
  const window = own.slice(first, last < 0 ? undefined : last + 1);
  for (const host of window[0]?.numbers.keys() ?? []) {
    const all = window.map((rows) => rows.numbers.get(host));
    // The object may have been absent meanwhile: its agent was starting.
    if (all.includes(undefined)) continue;
    const found = numbers.get(host);
    const [least, most] = [
      Math.min(...(all as number[])),
      last < 0 ? Number.POSITIVE_INFINITY : Math.max(...(all as number[])),
    ];
    if (found !== undefined && found >= least && found <= most) continue;
    return `${aggregator}: ${realm}/${host} has number ${found}, the realm ${least} to ${most}, and the realm is current`;
  }
  return undefined;
}

/** Freshness of each realm at an aggregator; undefined without an answer. */
export async function freshnessAt({
  program,
}: SoakAggregator): Promise<ReadonlyMap<FaultRealm, RealmJson> | undefined> {
  const answer = await call(program.base, "QueryService/ListStatus", { pageSize: 1 }).catch(() => undefined);
  const realms = (answer?.body["realms"] ?? []) as RealmJson[];
  return realms.length === faultRealms.length ? new Map(realms.map((realm) => [realm.name, realm])) : undefined;
}
type RealmJson = {
  readonly name: FaultRealm;
  readonly freshness: string;
  readonly detail?: string;
  readonly rowsHeld?: number;
  readonly rowsExpected?: number;
};
