import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startNats, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { realmStates } from "../../run/rows.ts";
import { passiveHostsDocument, startBenchAgent, withTestScope } from "../bench-agent.ts";
import { postRepeatedly } from "../bench-client.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";
import { sized } from "../runner/bench-size.ts";

const clients = 64;
const hosts = 2_000;
const count = sized(10_000, 3_000);

const direct = `comments of ${clients} clients to the agent`;

/** Comment on one of the hosts, and the same comment for an aggregator to forward. */
const comment = (n: number) => ({
  ...{ target: { object: { host: { name: `web${n % hosts}` } } }, author: "bench", text: `comment ${n}` },
});
const forwarded = (n: number) => ({ realm: "fra", request: comment(n) });

type Commands = { readonly service: string; bodyOf(n: number): object; readonly programs: readonly TestProgram[] };

/** Rows of comments to the first of the programs; processor time is that of all of them. */
async function measure(name: string, { service, bodyOf, programs }: Commands, against?: string): Promise<BenchRow[]> {
  const send = (calls: number): Promise<number[]> =>
    postRepeatedly({
      ...{ base: programs[0]?.base ?? "", path: `/svc.v1.${service}/AddComment`, contentType: "application/json" },
      ...{ bodyOf: (n) => JSON.stringify(bodyOf(n)), clients, count: calls },
    });
  await send(count / 2);
  const cpu = (): number => programs.reduce((sum, { pid }) => sum + cpuSecondsOfTree(pid), 0);
  const [before, startedMs] = [cpu(), performance.now()];
  const tookMs = await send(count);
  const perSecond = (count / (performance.now() - startedMs)) * 1_000;
  const cpuMs = ((cpu() - before) * 1_000) / count;
  const middle = tookMs.sort((one, other) => one - other)[count >> 1] ?? 0;
  const compared = (what: string) => (against === undefined ? {} : { against: `${against}${what}` });
  return [
    { name, rate: perSecond, unit: "commands/s", cpuMs, ...compared("") },
    { name: `${name}: median`, rate: middle, unit: "ms", ...compared(": median") },
  ];
}

/** Measures commands of 64 clients to an agent, and through an aggregator by a URL and over NATS. At least 0.2 is wanted. */
export const benchForwarding = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const nats = await startNats(scope);
    const flags = { "nats-url": nats.url };
    const agent = await startBenchAgent(scope, { config: passiveHostsDocument(hosts), realm: "fra", flags });
    const rows = await measure(direct, {
      ...{ service: "CommandService", bodyOf: comment, programs: [agent] },
    });
    for (const [way, realm] of [
      ["by its URL", `{url: "${agent.base}"}`],
      ["over NATS", "{}"],
    ] as const) {
      const centre = await startTestAggregator(scope, { realms: `realms: fra: ${realm}\n`, flags });
      await until("the realm is reachable", async () => (await realmStates(centre.base))["fra"]?.reachable === true);
      const programs = [centre, agent];
      const commands = { service: "RealmCommandService", bodyOf: forwarded, programs };
      rows.push(...(await measure(`through the aggregator, ${way}`, commands, direct)));
      await centre.stop();
    }
    return rows;
  });
