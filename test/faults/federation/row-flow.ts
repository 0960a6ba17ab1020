import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import type { FaultRealm } from "../fault-realms.ts";
import { type FederationEnvironment, objectsPerRealm, type SoakAgent } from "./federation-environment.ts";

/** Number in the output of the last result of each host; -1 before the first result. */
export type RowNumbers = ReadonlyMap<string, number>;

/** Rows of a realm as its agent returned them; times of the call and of its answer, ms of the monotonic clock. */
type OwnRows = { readonly startedMs: number; readonly atMs: number; readonly numbers: RowNumbers };

export type JsonStatusRow = {
  readonly realm?: string;
  readonly object: { readonly host?: { readonly name: string } };
  readonly output?: string;
  readonly stale?: boolean;
  readonly revision: string;
};

export type RowFlow = {
  /** Number of results that agents took. */
  sent(): number;
  /** Rows of a realm, oldest first, as far as they are needed. */
  own(realm: FaultRealm): readonly OwnRows[];
  /**
   * Holds back the results of a realm and observes its rows before and after `work`, so that no row is unknown that it
   * deletes or leaves: an agent shows a result a little after it has taken it, and the next result hides what was left.
   */
  hold(realm: FaultRealm, work: () => Promise<void>): Promise<void>;
  stop(): Promise<void>;
};

const numberOf = ({ output = "" }: JsonStatusRow): number => Number(/^number (\d+)$/.exec(output)?.[1] ?? -1);

/** Time for which observed rows are stored, ms: longer than any pause of an agent. */
const storedForMs = 90_000;

/** Sends results with increasing numbers to all agents, and observes the agents' rows. */
export function startRowFlow(
  { agents }: FederationEnvironment,
  {
    batch,
    pauseMs,
    observeEveryMs,
  }: { readonly batch: number; readonly pauseMs: number; readonly observeEveryMs: number },
): RowFlow {
  const observed = new Map<FaultRealm, OwnRows[]>(agents.map(({ realm }) => [realm, []]));
  const held = new Set<FaultRealm>();
  const sending = new Map<FaultRealm, Promise<unknown>>();
  /** Number of the last result that each agent took since its data were deleted. */
  const lastTaken = new Map<FaultRealm, number>();
  let [number, taken, stopped] = [0, 0, false];

  async function send({ realm, program }: SoakAgent): Promise<void> {
    for (let turn = 0; !stopped; turn += 1) {
      const results = Array.from({ length: batch }, (_, at) => {
        number += 1;
        return {
          object: { host: { name: `h${(turn * batch + at) % objectsPerRealm}` } },
          // Each result changes the state: other changes of an object are published every ten seconds only.
          status: Math.floor((turn * batch + at) / objectsPerRealm) % 2 === 0 ? "STATUS_CRITICAL" : "STATUS_OK",
          output: `number ${number}`,
        };
      });
      if (!held.has(realm)) {
        const sent = call(program.base, "CommandService/ProcessCheckResults", { results }).catch(() => undefined);
        sending.set(realm, sent);
        const last = number;
        if ((await sent)?.ok) {
          taken += results.length;
          lastTaken.set(realm, last);
        }
      }
      await sleep(pauseMs);
    }
  }

  /** Stores the present rows of an agent and returns their numbers; undefined without an answer. */
  async function observe({ realm, program }: SoakAgent): Promise<RowNumbers | undefined> {
    const rows = observed.get(realm) ?? [];
    const startedMs = performance.now();
    const answer = await call(program.base, "QueryService/ListStatus").catch(() => undefined);
    if (!answer?.ok) return undefined;
    const atMs = performance.now();
    const numbers = numbersOf((answer.body["rows"] ?? []) as JsonStatusRow[]);
    rows.push({ startedMs, atMs, numbers });
    while ((rows[1]?.atMs ?? Number.POSITIVE_INFINITY) < atMs - storedForMs) rows.shift();
    return numbers;
  }

  async function showsLastResult(agent: SoakAgent): Promise<boolean> {
    const numbers = [...((await observe(agent))?.values() ?? [])];
    return numbers.some((found) => found >= (lastTaken.get(agent.realm) ?? -1));
  }

  async function observeRepeatedly(agent: SoakAgent): Promise<void> {
    while (!stopped) {
      await observe(agent);
      await sleep(observeEveryMs);
    }
  }

  const running = Promise.all(agents.flatMap((agent) => [send(agent), observeRepeatedly(agent)]));
  return {
    sent: () => taken,
    own: (realm) => observed.get(realm) ?? [],
    async hold(realm, work) {
      held.add(realm);
      try {
        await sending.get(realm);
        const agent = agents.find((one) => one.realm === realm);
        await until(`the rows of ${realm} show its last result`, () => agent !== undefined && showsLastResult(agent), {
          withinMs: 60_000,
        });
        await work();
        lastTaken.delete(realm);
        await until(`the rows of ${realm} are observed`, () => (agent === undefined ? undefined : observe(agent)), {
          withinMs: 60_000,
        });
      } finally {
        held.delete(realm);
      }
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}

export const numbersOf = (rows: readonly JsonStatusRow[]): RowNumbers =>
  new Map(rows.map((row) => [row.object.host?.name ?? "", numberOf(row)]));
