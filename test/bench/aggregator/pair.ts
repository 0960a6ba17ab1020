import { healthy, startPair } from "../../faults/pair/pair-environment.ts";
import type { TestProgram } from "../../run/processes.ts";
import { passiveHostsDocument, startBenchAgent, untilApplied, withTestScope } from "../bench-agent.ts";
import { postRepeatedly } from "../bench-client.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";

const hosts = 2_000;
const clients = 64;
const batchSize = 1_000;
const [commands, batches] = [4_000, 40];

type Rates = { readonly commands: number; readonly results: number };

const single = (n: number): string =>
  JSON.stringify({ object: { host: { name: `web${n % hosts}` } }, status: "STATUS_OK", output: `fine ${n}` });
const batch = (n: number): string =>
  JSON.stringify({
    results: Array.from({ length: batchSize }, (_, i) => ({
      ...{ object: { host: { name: `web${i % hosts}` } }, status: "STATUS_OK", output: `fine, turn ${n}` },
    })),
  });

/** Rates at which an agent takes commands one by one, and results in batches, each durable before its answer. */
async function ratesOf(agent: TestProgram): Promise<Rates> {
  const rate = async (rpc: string, bodyOf: (n: number) => string, inFlight: number, count: number) => {
    const path = `/svc.v1.CommandService/${rpc}`;
    const startedMs = performance.now();
    await postRepeatedly({ base: agent.base, path, contentType: "application/json", bodyOf, clients: inFlight, count });
    await untilApplied(agent);
    return (count / (performance.now() - startedMs)) * 1_000;
  };
  // Warm-up: compiles the code, as in an agent that has run for a while.
  await rate("ProcessCheckResult", single, clients, commands / 4);
  return {
    commands: await rate("ProcessCheckResult", single, clients, commands),
    results: batchSize * (await rate("ProcessCheckResults", batch, 4, batches)),
  };
}

/** Measures what a pair costs against a single agent: its rates, and the processor time of its standby. */
export async function benchPair(): Promise<BenchRow[]> {
  const config = passiveHostsDocument(hosts);
  const alone = await withTestScope(async (scope) => ratesOf(await startBenchAgent(scope, { config })));
  return withTestScope(async (scope) => {
    const { active, standby } = await healthy(await startPair(scope, { documentOf: () => config }));
    const before = [active, standby].map(({ program }) => cpuSecondsOfTree(program.pid));
    const rates = await ratesOf(active.program);
    const [ofActive = 0, ofStandby = 0] = [active, standby].map(
      ({ program }, at) => cpuSecondsOfTree(program.pid) - (before[at] ?? 0),
    );
    const rows = (name: string, { commands: ofCommands, results }: Rates, against?: string): BenchRow[] => [
      {
        name: `durable commands, ${name}`,
        rate: ofCommands,
        unit: "commands/s",
        ...other("durable commands", against),
      },
      { name: `results, ${name}`, rate: results, unit: "results/s", ...other("results", against) },
    ];
    return [
      ...rows("one agent", alone),
      ...rows("a pair", rates, "one agent"),
      { name: "processor time of the active member", rate: ofActive, unit: "s" },
      { name: "of its standby", rate: ofStandby, unit: "s", against: "processor time of the active member" },
    ];
  });
}

const other = (what: string, against: string | undefined): Pick<BenchRow, "against"> =>
  against === undefined ? {} : { against: `${what}, ${against}` };
