import { spawn } from "node:child_process";
import { once } from "node:events";
import { openTools, servicePlan, surroundings } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import type { CheckSpec } from "@realmwatch/shared/config/check-spec";
import type { Row } from "./row.ts";

/** In a process of its own, so that its work is not counted as the agent's. Prints the ports of TCP and HTTP. */
const targets = `
  const { createServer } = require("node:net");
  const http = require("node:http").createServer((_, answer) => answer.end("hello"));
  const tcp = createServer((socket) => socket.on("error", () => {}));
  tcp.listen(0, "127.0.0.1", () => http.listen(0, "127.0.0.1", () => console.log(tcp.address().port, http.address().port)));
`;

/** Checks a second, each kind alone, at a fixed number in flight. */
export async function benchChecks(): Promise<Row[]> {
  const server = spawn(process.execPath, ["-e", targets], { stdio: ["ignore", "pipe", "inherit"] });
  const tools = openTools();
  try {
    const [ports] = (await once(server.stdout, "data")) as [Buffer];
    const [tcp, http] = String(ports).trim().split(" ").map(Number);
    if (tcp === undefined || http === undefined) throw new Error("the targets did not start");
    const measure = (name: string, check: CheckSpec, count: number): Promise<Row> =>
      rate({ name, check, count, tools });
    return [
      await measure("tcp", { type: "tcp", host: "127.0.0.1", port: tcp }, 20_000),
      await measure("http, a connection each", { type: "http", url: `http://127.0.0.1:${http}/` }, 10_000),
    ];
  } finally {
    server.kill();
    await tools.close();
  }
}

type Work = { name: string; check: CheckSpec; count: number; tools: ReturnType<typeof openTools> };

async function rate({ name, check, count, tools }: Work): Promise<Row> {
  const inFlight = 16;
  const plan = servicePlan(check);
  const about = surroundings();
  const run = async (checks: number): Promise<void> => {
    let left = checks;
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const { status, output } = await runCheck(plan, about, tools);
        if (status !== "ok") throw new Error(`${name}: ${output}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  };
  await run(count / 10); // Warm code, started helpers.
  const before = process.cpuUsage();
  const startedMs = tools.clock.monotonic();
  await run(count);
  const seconds = (tools.clock.monotonic() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = ((user + system) / 1_000 / count).toFixed(3);
  return {
    name,
    rate: count / seconds,
    unit: "checks/s",
    note: `${cpuMs} ms of the engine's CPU each, ${inFlight} in flight`,
  };
}
