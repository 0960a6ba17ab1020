import { spawn } from "node:child_process";
import { once } from "node:events";
import { openTestDependencies } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { benchPlan } from "../bench-plan.ts";
import { openBenchRealm } from "../bench-realm.ts";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";

/** Source of a TCP server on all loopback addresses, run in a process of its own so that its CPU does not count. Prints its port. */
const target = `
  const tcp = require("node:net").createServer((socket) => socket.on("error", () => {}).end());
  tcp.listen(0, "0.0.0.0", 4096, () => console.log(tcp.address().port));
`;

/** Times without and with a measurement, ms; the interval of the checks is a minute. */
const [warmUpMs, measuredMs] = [sized(65_000, 15_000), sized(60_000, 15_000)];
const sizes = { hosts: 10_000, services: 100_000 };

/**
 * Measures delay, CPU and memory of 100 000 real TCP checks a minute, with real loop, journal and read model.
 */
export async function benchCadence(): Promise<BenchRow[]> {
  const server = spawn(process.execPath, ["-e", target], { stdio: ["ignore", "pipe", "inherit"] });
  const tools = openTestDependencies();
  try {
    const [printed] = (await once(server.stdout, "data")) as [Buffer];
    const port = Number(String(printed).trim());
    const plan = benchPlan(sizes.hosts, (h) => ({ type: "tcp", host: `127.0.${h % 200}.${1 + (h % 250)}`, port }));
    let latencies: number[] = [];
    const statuses = new Map<string, number>();
    const { open, close } = await openBenchRealm({
      plan,
      async run(object, where) {
        const run = await runCheck(object, { ...where, realm: plan }, tools);
        statuses.set(run.status, (statuses.get(run.status) ?? 0) + 1);
        return run;
      },
      ended: (latencyMs) => void latencies.push(latencyMs),
    });
    open.start();
    await sleep(systemClock, warmUpMs);
    latencies = [];
    statuses.clear();
    const [cpu, startedMs] = [process.cpuUsage(), systemClock.monotonic()];
    const rss = await maxRss(measuredMs);
    const { user, system } = process.cpuUsage(cpu);
    const seconds = (systemClock.monotonic() - startedMs) / 1000;
    const measured = latencies.toSorted((a, b) => a - b);
    await close(1000);
    const at = (share: number): number => measured[Math.ceil(measured.length * share) - 1] ?? Number.NaN;
    const within = measured.filter((ms) => ms <= 500).length / measured.length;
    const notOk = [...statuses].filter(([status]) => status !== "ok").reduce((sum, [, count]) => sum + count, 0);
    const note = `${sizes.services} services at 60 s`;
    return [
      { name: "checks", rate: measured.length / seconds, unit: "checks/s", note: `${note}; ${notOk} not ok` },
      { name: "started within 500 ms", rate: within * 100, unit: "%", note: "of their due time; 99 % required" },
      { name: "delay, median", rate: at(0.5), unit: "ms" },
      { name: "delay, 99th percentile", rate: at(0.99), unit: "ms" },
      { name: "delay, maximum", rate: at(1), unit: "ms" },
      {
        name: "CPU, all threads",
        rate: (user + system) / 1e4 / seconds,
        unit: "% of a core",
        note: `user ${(user / 1e4 / seconds).toFixed(0)} %, system ${(system / 1e4 / seconds).toFixed(0)} %; below 70 required`,
      },
      { name: "memory, maximum", rate: rss / 2 ** 20, unit: "MiB", note: "resident; below 1536 required" },
    ];
  } finally {
    server.kill();
    await tools.close();
  }
}

/** Largest resident memory of this process within `ms`, bytes. */
async function maxRss(ms: number): Promise<number> {
  const endMs = systemClock.monotonic() + ms;
  let max = 0;
  while (systemClock.monotonic() < endMs) {
    max = Math.max(max, process.memoryUsage.rss());
    await sleep(systemClock, 500);
  }
  return max;
}
