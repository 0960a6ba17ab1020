import { loadavg } from "node:os";
import { staticSample } from "@realmwatch/shared/load/static-sample";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type AgentStartOptions, type TestScope, type TestProgram, startTestAgent } from "../run/processes.ts";

/** Runs `use` with somebody who owns what it starts, and ends all of that. */
export async function withTestScope<T>(use: (scope: TestScope) => Promise<T>): Promise<T> {
  const ends: (() => void | Promise<void>)[] = [];
  try {
    return await use({ after: (end) => void ends.push(end) });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;

/** `count` hosts that only take what they are told, `web0` on. */
export const passiveHostsDocument = (count: number): string =>
  Array.from({ length: count }, (_, i) => `hosts: web${i}: {address: "127.0.0.1", ${passive}}\n`).join("");

/** Hosts with ten services each, spelled out, of which the agent looks at none by itself for a while. */
export const staticHostsDocument = (hosts: number): string => staticSample({ hosts, servicesPerHost: 10 });

export const startBenchAgent = (scope: TestScope, start: AgentStartOptions): Promise<TestProgram> => startTestAgent(scope, start);

/** The value of a metric without labels, or of one with exactly those that `name` spells out. */
export async function metricOf({ base }: Pick<TestProgram, "base">, name: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const line = text.split("\n").find((one) => one.startsWith(`realmwatch_${name} `));
  return Number(line?.split(" ").at(-1) ?? Number.NaN);
}

/** Resolves when the engine has taken all that was accepted. */
export const untilApplied = (agent: Pick<TestProgram, "base">): Promise<unknown> =>
  until(
    "all is applied",
    async () =>
      (await metricOf(agent, "command_queue_length")) === 0 && (await metricOf(agent, "engine_queue_length")) === 0,
    { withinMs: 120_000 },
  );

/** What else this machine does: figures mean little without it. */
export const loadAverage = (): string => `load average ${(loadavg()[0] ?? 0).toFixed(1)}`;
