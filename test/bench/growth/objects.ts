import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { type TestProgram, tempFolder } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";
import { startBenchAgent, staticHostsDocument, untilApplied, withTestScope } from "../bench-agent.ts";
import { settledMb } from "../bench-memory.ts";
import type { BenchRow } from "../bench-row.ts";
import { measureDaemon, peerDaemons } from "../peers/peer-daemon.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";

/** Numbers of objects; each host has ten services. */
const sizes = [1_000, 10_000, 100_000];
const services = 10;
const batchSize = 5_000;

type Grown = {
  readonly objects: number;
  readonly loadMs: number;
  readonly startMs: number;
  readonly startCpuMs: number;
  readonly residentMb: number;
  readonly pageMs: number;
};

/** Submits a result for every object, so that the journal has a state of each. */
async function fill(agent: TestProgram, hosts: number): Promise<void> {
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
}

async function medianPageMs({ base }: TestProgram): Promise<number> {
  const tookMs: number[] = [];
  for (let turn = 0; turn < 21; turn += 1) {
    const startedMs = performance.now();
    await call(base, "QueryService/ListStatus", { pageSize: 200 });
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs.sort((one, other) => one - other)[10] ?? 0;
}

/** Measures an agent with the states of about `size` objects: its start after a kill, its memory, and a page. */
async function measureAgent(scope: TestScope, size: number): Promise<Grown> {
  const hosts = Math.round(size / (services + 1));
  const config = join(tempFolder(scope, "large"), "config.cue");
  writeFileSync(config, staticHostsDocument(hosts));
  const agent = await startBenchAgent(scope, { config, flags: { "log-level": "error" } });
  await fill(agent, hosts);
  await agent.stop("SIGKILL");
  const startedMs = performance.now();
  await agent.restart();
  await until("it is ready", async () => (await fetch(`${agent.base}/readyz`)).ok, { everyMs: 10 });
  const startMs = performance.now() - startedMs;
  const startCpuMs = cpuSecondsOfTree(agent.pid) * 1_000;
  const hasStates = async (): Promise<boolean> =>
    JSON.stringify((await call(agent.base, "QueryService/ListStatus", { pageSize: 1 })).body).includes("OK");
  await until("the states are there", hasStates);
  const pageMs = await medianPageMs(agent);
  const memory = await settledMb(agent.pid);
  await agent.stop();
  const loadedMs = performance.now();
  const [node = "", ...args] = builtProgram("agent");
  spawnSync(node, [...args, "-check-config", "-config", config]);
  const loadMs = performance.now() - loadedMs;
  return { objects: hosts * (services + 1), loadMs, startMs, startCpuMs, residentMb: memory, pageMs };
}

const sizeText = (size: number): string => size.toLocaleString("en").replaceAll(",", " ");
const nameOf = (what: string, system: string, size: number): string =>
  [what, system, `${sizeText(size)} objects`].filter(Boolean).join(", ");

/** Memory for each object beyond those of the size before, KiB. */
const furtherKib = (resident: number, objects: number, before: Occupied): number =>
  ((resident - before.residentMb) * 1_024) / (objects - before.objects);

type Occupied = { readonly objects: number; readonly residentMb: number };

/** Measures start, memory and a page of growing agents, each row beside that of the size before and of other systems. */
export async function benchGrowingObjects(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const before = new Map<string, Occupied>();
  for (const [at, size] of sizes.entries()) {
    const grown = await withTestScope((scope) => measureAgent(scope, size));
    const peers = await peerRows(size, before);
    const others = peerDaemons.map(({ name }) => name);
    const row = (what: string, rate: number, unit: string): BenchRow => ({
      ...{ name: nameOf(what, "", size), rate, unit },
      against: [
        ...(at === 0 ? [] : [nameOf(what, "", sizes[at - 1] ?? 0)]),
        ...others.map((system) => nameOf(what, system, size)),
      ],
    });
    const smaller = before.get("");
    rows.push(
      row("load a document", grown.loadMs, "ms"),
      { ...row("start", grown.startMs, "ms"), note: "after kill -9, with states", cpuMs: grown.startCpuMs },
      { ...row("memory", grown.residentMb, "MiB"), note: "resident, all threads" },
      ...(smaller === undefined
        ? []
        : [row("memory per further object", furtherKib(grown.residentMb, grown.objects, smaller), "KiB")]),
      row("page of 200", grown.pageMs, "ms"),
      ...peers,
    );
    before.set("", grown);
  }
  return rows;
}

/** Rows of other systems with the same objects, without those that are not installed. Notes their memory in `before`. */
async function peerRows(size: number, before: Map<string, Occupied>): Promise<BenchRow[]> {
  const hosts = Math.round(size / (services + 1));
  const objects = hosts * (services + 1);
  const rows: BenchRow[] = [];
  for (const daemon of peerDaemons) {
    const found = await withTestScope((scope) => measureDaemon(scope, daemon, { hosts, servicesPerHost: services }));
    if (found === undefined) continue;
    const name = (what: string): string => nameOf(what, daemon.name, size);
    const smaller = before.get(daemon.name);
    rows.push(
      { name: name("start"), rate: found.startMs, unit: "ms", note: "after a stop, with states" },
      { name: name("memory"), rate: found.residentMb, unit: "MiB", note: "resident, all processes" },
    );
    if (smaller !== undefined) {
      const kib = furtherKib(found.residentMb, objects, smaller);
      rows.push({ name: name("memory per further object"), rate: kib, unit: "KiB" });
    }
    before.set(daemon.name, { objects, residentMb: found.residentMb });
  }
  return rows;
}
