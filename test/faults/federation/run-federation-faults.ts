import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { fromBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { rowDigestTerm } from "@realmwatch/shared/platform/row-digest";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { allHeartbeatsSubject, objectToken } from "@realmwatch/shared/wire/nats/nats-subjects";
import { call } from "../../run/call.ts";
import { type CommandLedger, startCommands } from "./command-ledger.ts";
import {
  type FederationEnvironment,
  objectsPerRealm,
  type SoakAgent,
  type SoakAggregator,
  startFederation,
} from "./federation-environment.ts";
import { type FederationFault, outputsOf, randomFaults } from "./federation-faults.ts";
import { freshnessAt, watchFreshness } from "./freshness-watch.ts";
import { type JsonStatusRow, startRowFlow } from "./row-flow.ts";

type FederationSoakOptions = {
  readonly seed: number;
  /** Time for which faults happen, ms. */
  readonly forMs: number;
  /** True when two parts may fail at the same time. */
  readonly pairs: boolean;
  /** Time after which an outdated row has to be stale, ms. */
  readonly mostOutdatedMs: number;
  readonly print: (line: string) => void;
};

/** Limit of the convergence after the last fault, ms: a hang is a failure, and the time is printed. */
const convergeWithinMs = 150_000;

/**
 * Injects random faults into a federation under a flow of rows and commands. Throws when an aggregator returned an
 * outdated row without marking it, when a command was lost, doubled or answered falsely, or when the aggregators do not
 * converge to the realms.
 */
export async function runFederationFaults(
  scope: TestScope,
  { seed, forMs, pairs, mostOutdatedMs, print }: FederationSoakOptions,
): Promise<void> {
  const random = seededRandom(seed);
  const environment = await startFederation(scope);
  await converge(environment);
  const flow = startRowFlow(environment, { batch: 5, pauseMs: 300, observeEveryMs: 500 });
  const watch = watchFreshness(environment, flow, mostOutdatedMs);
  // Commands have random numbers of their own: their number depends on the speed of the machine.
  const ledger = startCommands(environment, seededRandom(seed + 1), { clients: 2, pauseMs: 600 });
  const startedMs = performance.now();
  const at = (): string => `${((performance.now() - startedMs) / 1_000).toFixed(1)} s`;
  try {
    let faults = 0;
    while (performance.now() - startedMs < forMs && watch.failures().length === 0) {
      const chosen = chooseFaults(
        randomFaults({ environment, ledger, flow, random }),
        pairs && random.upTo(3) < 1 ? 2 : 1,
        random.upTo,
      );
      faults += chosen.length;
      print(`${at()}: ${chosen.map(({ name }) => name).join(" and ")}`);
      await Promise.all(chosen.map(({ run }) => run()));
      await sleep(random.upTo(5_000));
    }
    environment.healLinks();
    await flow.stop();
    const healedMs = performance.now();
    await ledger.finish();
    await converge(environment);
    print(`${at()}: converged ${Math.round(performance.now() - healedMs)} ms after the last of ${faults} faults`);
    await watch.stop();
    assert.deepEqual(watch.failures(), []);
    const { rows, stale } = watch.counts();
    const { accepted, refused, unknown } = ledger.counts();
    assert.ok(flow.sent() > 0 && rows > 0 && accepted > 0, "rows and commands passed during the faults");
    print(
      `${flow.sent()} results, ${rows} rows compared, ${stale} of them stale; commands: ${accepted} accepted, ${refused} refused, ${unknown} unknown`,
    );
  } catch (error) {
    print(`${at()}: failed with seed ${seed}\n${watch.failures().join("\n")}\n${outputsOf(environment)}`);
    throw error;
  } finally {
    await stopAll(environment, flow, watch, ledger);
  }
}

async function stopAll(
  environment: FederationEnvironment,
  ...parts: readonly [{ stop(): Promise<void> }, { stop(): Promise<void> }, CommandLedger]
): Promise<void> {
  environment.healLinks();
  const [flow, watch, ledger] = parts;
  await Promise.allSettled([flow.stop(), watch.stop(), ledger.finish()]);
}

/** Takes faults of different targets at random. */
function chooseFaults(
  faults: readonly FederationFault[],
  count: number,
  upTo: (limit: number) => number,
): FederationFault[] {
  const chosen: FederationFault[] = [];
  while (chosen.length < count) {
    const fault = faults[Math.floor(upTo(faults.length))];
    if (fault !== undefined && chosen.every(({ target }) => target !== fault.target)) chosen.push(fault);
  }
  return chosen;
}

/**
 * Waits until each aggregator calls each realm current, and has exactly the realm's rows, whose digest is that of the
 * agent's heartbeats.
 */
async function converge(environment: FederationEnvironment): Promise<void> {
  const connection = await environment.nats.connect();
  const digests = new Map<string, bigint | undefined>();
  connection.subscribe(allHeartbeatsSubject, {
    callback(error, message) {
      if (error !== null) return;
      const { realm, digest } = fromBinary(HeartbeatSchema, message.data);
      digests.set(realm, digest);
    },
  });
  try {
    let differs = "";
    await until(
      "all aggregators have the rows of all realms",
      async () => {
        for (const aggregator of environment.aggregators) {
          for (const agent of environment.agents) {
            differs = await difference(aggregator, agent, () => digests.get(agent.realm));
            if (differs !== "") return false;
          }
        }
        return true;
      },
      { withinMs: convergeWithinMs, everyMs: 500, seen: () => differs },
    );
  } finally {
    await connection.close();
  }
}

/** Difference between an aggregator and a realm; empty for none. */
async function difference(
  aggregator: SoakAggregator,
  agent: SoakAgent,
  digest: () => bigint | undefined,
): Promise<string> {
  const { realm } = agent;
  const where = `aggregator ${aggregator.name}, ${realm}:`;
  const state = (await freshnessAt(aggregator))?.get(realm);
  const isWhole = state?.rowsHeld === objectsPerRealm && state.rowsExpected === objectsPerRealm;
  if (state?.freshness !== "REALM_FRESHNESS_CURRENT" || !isWhole) return `${where} ${JSON.stringify(state)}`;
  const [own, held] = await Promise.all([
    call(agent.program.base, "QueryService/ListStatus"),
    call(aggregator.program.base, "QueryService/ListStatus", { realm }),
  ]);
  if (!own.ok || !held.ok) return `${where} ${own.message} ${held.message}`;
  const [ownRows, heldRows] = [own, held].map(({ body }) => (body["rows"] ?? []) as JsonStatusRow[]);
  const [expected, found] = [canonicalRows(ownRows ?? []), canonicalRows(heldRows ?? [])];
  const at = expected.findIndex((text, index) => text !== found[index]);
  if (at >= 0 || found.length !== expected.length) return `${where} ${expected[at]} is ${found[at]}`;
  const digests = [digestOf(heldRows ?? []), digest()];
  return new Set(digests).size === 1 ? "" : `${where} digests ${digests.join(", ")}`;
}

const digestOf = (rows: readonly JsonStatusRow[]): bigint =>
  rows.reduce((digest, { object, revision }) => {
    const [epoch = 0, number = 0] = revision.split(".").map(Number);
    return digest ^ rowDigestTerm(objectToken(keyOf(object.host?.name ?? "")), epoch, number);
  }, 0n);

/**
 * Rows as texts with sorted keys, without the fields that an aggregator adds and without the revision: an agent whose
 * epoch was too small publishes its rows under a greater one.
 */
const canonicalRows = (rows: readonly JsonStatusRow[]): string[] =>
  rows
    .map(({ realm: _, stale: __, revision: ___, ...row }) =>
      JSON.stringify(row, (_key, value: unknown) =>
        value !== null && typeof value === "object" && !Array.isArray(value)
          ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
          : value,
      ),
    )
    .sort();
