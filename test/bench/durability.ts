import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { loadAverage, startBenchAgent, staticHostsDocument, untilApplied, withTestScope } from "./bench-agent.ts";
import type { BenchRow } from "./bench-row.ts";

const hosts = 9_091;
const services = 10;
const batchSize = 5_000;

/** Submits a result for every object, so that the journal has a state of each. */
async function fill(agent: TestProgram): Promise<number> {
  await sendCommand(agent.base, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_ACTIVE_CHECKS", enabled: false });
  const objects = Array.from({ length: hosts }, (_, h) => [
    { host: { name: `host-${h}` } },
    ...Array.from({ length: services }, (_, s) => ({ service: { host: `host-${h}`, name: `service-${s}` } })),
  ]).flat();
  const output = "HTTP/1.1 200 OK - 4711 bytes in 0.012 second response time";
  for (let at = 0; at < objects.length; at += batchSize) {
    const results = objects.slice(at, at + batchSize).map((object) => ({
      ...{ object, status: "STATUS_OK", output, perfdata: "time=0.012s;1;2;0 size=4711B" },
    }));
    await sendCommand(agent.base, "ProcessCheckResults", { results });
  }
  await untilApplied(agent);
  return objects.length;
}

/** Measures the time from exec until the agent is ready, after a kill with SIGKILL. */
export const benchStartAfterKill = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const config = join(tempFolder(scope, "large"), "config.cue");
    writeFileSync(config, staticHostsDocument(hosts));
    const agent = await startBenchAgent(scope, { config, flags: { "log-level": "error" } });
    const objects = await fill(agent);
    const tookMs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      await agent.stop("SIGKILL");
      const startedMs = performance.now();
      await agent.restart();
      await until("it is ready", async () => (await fetch(`${agent.base}/readyz`)).ok);
      tookMs.push(performance.now() - startedMs);
      const { body } = await call(agent.base, "QueryService/ListStatus", { pageSize: 1 });
      if (!JSON.stringify(body).includes("OK")) throw new Error("states are missing");
    }
    const startedMs = performance.now();
    const [node = "", ...args] = builtProgram("agent");
    spawnSync(node, [...args, "-check-config", "-config", config]);
    const loadMs = performance.now() - startedMs;
    const middle = tookMs.sort((one, other) => one - other)[1] ?? 0;
    return [
      {
        name: "start after kill -9",
        rate: middle,
        unit: "ms",
        note: `${objects} objects with states; ${loadAverage()}`,
      },
      { name: "loading its document only", rate: loadMs, unit: "ms", note: "-check-config" },
    ];
  });
