import { create, toBinary } from "@bufbuild/protobuf";
import { AddCommentRequestSchema, ProcessCheckResultRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import type { TestProgram } from "../run/processes.ts";
import { passiveHostsDocument, startBenchAgent, withTestScope } from "./bench-agent.ts";
import { postRepeatedly } from "./bench-client.ts";
import type { BenchRow } from "./bench-row.ts";
import { cpuSecondsOfTree } from "./process-tree.ts";
import { sized } from "./runner/bench-size.ts";

const clients = 64;
/** Number of hosts: enough that no host gets many comments. */
const hosts = 5_000;
type Format = "application/json" | "application/proto";
type Body = string | Uint8Array;
type Calls = {
  readonly agent: TestProgram;
  readonly rpc: string;
  readonly format: Format;
  readonly bodyOf: (n: number) => Body;
  readonly inFlight: number;
  readonly count: number;
};
type Timed = {
  readonly perSecond: number;
  readonly medianMs: number;
  readonly p99Ms: number;
  /** Processor time of the agent for each call, ms. */
  readonly cpuMs: number;
};

/** Numbers of calls: those that compile the code, as in an agent that has run for a while, and those measured. */
const [warmUp, measured] = [sized(20_000, 3_000), sized(30_000, 6_000)];

async function timeCalls({ agent, rpc, format, bodyOf, inFlight, count }: Calls): Promise<Timed> {
  const path = `/svc.v1.${rpc}`;
  const cpuBefore = cpuSecondsOfTree(agent.pid);
  const startedMs = performance.now();
  const tookMs = await postRepeatedly({
    base: agent.base,
    path,
    contentType: format,
    bodyOf,
    clients: inFlight,
    count,
  });
  const perSecond = (count / (performance.now() - startedMs)) * 1_000;
  tookMs.sort((one, other) => one - other);
  const at = (share: number): number => tookMs[Math.floor(tookMs.length * share)] ?? 0;
  const cpuMs = ((cpuSecondsOfTree(agent.pid) - cpuBefore) * 1_000) / count;
  return { perSecond, medianMs: at(0.5), p99Ms: at(0.99), cpuMs };
}

const comment = (format: Format, n: number): Body => {
  const target = { object: { host: { name: `web${n % hosts}` } } };
  if (format === "application/json") return JSON.stringify({ target, author: "bench", text: `comment ${n}` });
  const object = { ref: { case: "host" as const, value: { name: `web${n % hosts}` } } };
  return toBinary(
    AddCommentRequestSchema,
    create(AddCommentRequestSchema, {
      target: { target: { case: "object", value: object } },
      author: "bench",
      text: `comment ${n}`,
    }),
  );
};

const single = (format: Format, n: number): Body => {
  if (format === "application/json")
    return JSON.stringify({ object: { host: { name: `web${n % hosts}` } }, status: "STATUS_OK", output: `fine ${n}` });
  const object = { ref: { case: "host" as const, value: { name: `web${n % hosts}` } } };
  return toBinary(
    ProcessCheckResultRequestSchema,
    create(ProcessCheckResultRequestSchema, { object, status: Status.OK, output: `fine ${n}` }),
  );
};

const formats: readonly Format[] = ["application/proto", "application/json"];

/** Measures commands, each synced to disk before its response; each kind and format with an agent of its own. */
export async function benchDurableCommands(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const [name, rpc, bodyOf] of [
    ["results one by one", "CommandService/ProcessCheckResult", single],
    ["comments", "CommandService/AddComment", comment],
  ] as const)
    for (const format of formats) {
      const { perSecond, medianMs, p99Ms, cpuMs } = await withTestScope(async (scope) => {
        const agent = await startBenchAgent(scope, { config: passiveHostsDocument(hosts) });
        const calls = { agent, rpc, format, bodyOf: (n: number) => bodyOf(format, n), inFlight: clients };
        await timeCalls({ ...calls, count: warmUp });
        return timeCalls({ ...calls, count: measured });
      });
      const short = format === "application/json" ? "JSON" : "protobuf";
      const all = `${name}, ${clients} clients, ${short}`;
      rows.push(
        { name: all, rate: perSecond, unit: "commands/s", cpuMs },
        { name: `${all}: median`, rate: medianMs, unit: "ms" },
        { name: `${all}: 99th percentile`, rate: p99Ms, unit: "ms" },
      );
    }
  return rows;
}
