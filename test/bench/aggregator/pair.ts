import { createStreams } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { connect } from "nats";
import { healthy, startPair } from "../../faults/pair/pair-environment.ts";
import { startNats, type TestProgram } from "../../run/processes.ts";
import { metricOf, passiveHostsDocument, startBenchAgent, untilApplied, withTestScope } from "../bench-agent.ts";
import { postRepeatedly } from "../bench-client.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";
import { sized } from "../runner/bench-size.ts";

const hosts = 2_000;
const batchSize = 1_000;
const config = passiveHostsDocument(hosts);

const single = (n: number): string =>
  JSON.stringify({ object: { host: { name: `web${n % hosts}` } }, status: "STATUS_OK", output: `fine ${n}` });
const batch = (n: number): string =>
  JSON.stringify({
    results: Array.from({ length: batchSize }, (_, i) => ({
      ...{ object: { host: { name: `web${i % hosts}` } }, status: "STATUS_OK", output: `fine, turn ${n}` },
    })),
  });

/** Calls of each measurement: one command a call, or a batch of results. A call is answered once it is on disk. */
const loads = {
  "durable commands": {
    ...{ rpc: "ProcessCheckResult", bodyOf: single, unit: "commands/s" },
    ...{ clients: 64, calls: 3_000, each: 1 },
  },
  results: {
    ...{ rpc: "ProcessCheckResults", bodyOf: batch, unit: "results/s" },
    ...{ clients: 4, calls: 40, each: batchSize },
  },
} as const;
type Load = (typeof loads)[keyof typeof loads];

/** Agent that serves a realm; `standby` is the other member of a pair. */
type Served = { readonly agent: TestProgram; readonly standby: TestProgram | undefined };
/** Cost of a load: time until all was applied, ms, and processor time until all was published, s. */
type Spent = { readonly ms: number; readonly ofAgent: number; readonly ofStandby: number };

/** Starts an agent without a pair, which publishes to a NATS of its own as the pair does. */
async function startAlone(scope: TestScope): Promise<Served> {
  const nats = await startNats(scope);
  const connection = await connect({ servers: nats.url });
  try {
    await createStreams(connection);
  } finally {
    await connection.close();
  }
  const agent = await startBenchAgent(scope, { config, flags: { realm: "fra", "nats-url": nats.url } });
  return { agent, standby: undefined };
}

async function startMembers(scope: TestScope): Promise<Served> {
  const flags = { "pair-lease": "45s" };
  const pair = await startPair(scope, { documentOf: () => config, isDirect: true, flags: [flags, flags] });
  const { active, standby } = await healthy(pair);
  return { agent: active.program, standby: standby.program };
}

const untilPublished = (agent: TestProgram): Promise<unknown> =>
  until("all is published", async () => (await metricOf(agent, "outbox_rows")) === 0, { withinMs: 120_000 });

async function send({ agent, standby }: Served, { rpc, bodyOf, clients, calls }: Load): Promise<Spent> {
  const cpu = () => ({
    ofAgent: cpuSecondsOfTree(agent.pid),
    ofStandby: standby === undefined ? 0 : cpuSecondsOfTree(standby.pid),
  });
  const before = cpu();
  const startedMs = performance.now();
  const path = `/svc.v1.CommandService/${rpc}`;
  await postRepeatedly({ base: agent.base, path, contentType: "application/json", bodyOf, clients, count: calls });
  await untilApplied(agent);
  const ms = performance.now() - startedMs;
  await untilPublished(agent);
  const after = cpu();
  return { ms, ofAgent: after.ofAgent - before.ofAgent, ofStandby: after.ofStandby - before.ofStandby };
}

/** Measures what a pair costs against a single agent, in turns: its rates, and the processor time of its standby. */
export const benchPair = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const alone = await startAlone(scope);
    const pair = await startMembers(scope);
    const rows: BenchRow[] = [];
    for (const [what, load] of Object.entries(loads)) {
      const spent: Record<"alone" | "pair", Spent[]> = { alone: [], pair: [] };
      for (let turn = 0; turn <= sized(6, 2); turn++) {
        spent.alone.push(await send(alone, load));
        spent.pair.push(await send(pair, load));
      }
      // The first turn compiles the code, as in an agent that has run for a while.
      const count = load.calls * load.each * sized(6, 2);
      const [one, two] = [sumOf(spent.alone.slice(1)), sumOf(spent.pair.slice(1))];
      const rate = ({ ms }: Spent): number => (count / ms) * 1_000;
      const perUnit = (seconds: number): number => (seconds * 1_000) / count;
      rows.push(
        { name: `${what}, one agent`, rate: rate(one), unit: load.unit, cpuMs: perUnit(one.ofAgent) },
        {
          ...{ name: `${what}, a pair`, rate: rate(two), unit: load.unit, against: `${what}, one agent` },
          cpuMs: perUnit(two.ofAgent + two.ofStandby),
        },
        { name: `${what}: active member`, rate: perUnit(two.ofAgent) * 1_000, unit: "µs of CPU" },
        {
          ...{ name: `${what}: its standby`, rate: perUnit(two.ofStandby) * 1_000, unit: "µs of CPU" },
          against: `${what}: active member`,
        },
      );
    }
    return rows;
  });

const sumOf = (all: readonly Spent[]): Spent =>
  all.reduce((sum, one) => ({
    ms: sum.ms + one.ms,
    ofAgent: sum.ofAgent + one.ofAgent,
    ofStandby: sum.ofStandby + one.ofStandby,
  }));
