import { staticSample } from "@realmwatch/shared/load/static-sample.fixture";
import { openScope, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type AgentStartOptions, startTestAgent, type TestProgram } from "../run/processes.ts";

/** Runs `use` with a test scope, and runs the cleanups of the scope at its end. */
export async function withTestScope<T>(use: (scope: TestScope) => Promise<T>): Promise<T> {
  await using scope = openScope();
  return await use(scope);
}

const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;

/** Document with `count` passive hosts, `web0` and following. */
export const passiveHostsDocument = (count: number): string =>
  Array.from({ length: count }, (_, i) => `hosts: web${i}: {address: "127.0.0.1", ${passive}}\n`).join("");

/** Document of plain data with ten services for each host, none of which is checked within the benchmark. */
export const staticHostsDocument = (hosts: number): string => staticSample({ hosts, servicesPerHost: 10 });

export const startBenchAgent = (scope: TestScope, start: AgentStartOptions): Promise<TestProgram> =>
  startTestAgent(scope, start);

/** Value of a metric without labels, or of the sample with exactly the labels in `name`. */
export async function metricOf({ base }: Pick<TestProgram, "base">, name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`realmwatch_${name} `));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
}

/** Resolves when the engine has applied all accepted commands. */
export const untilApplied = (agent: Pick<TestProgram, "base">): Promise<unknown> =>
  until(
    "all commands are applied",
    async () =>
      (await metricOf(agent, "command_queue_length")) === 0 && (await metricOf(agent, "engine_queue_length")) === 0,
    { withinMs: 120_000 },
  );
