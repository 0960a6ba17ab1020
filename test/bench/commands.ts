import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import {
  AddCommentRequestSchema,
  ProcessCheckResultRequestSchema,
  ProcessCheckResultsRequestSchema,
} from "@realmwatch/proto/svc/v1/command_pb";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type TestProgram, tempFolder } from "../run/processes.ts";
import {
  loadAverage,
  metricOf,
  passiveHostsDocument,
  startBenchAgent,
  untilApplied,
  withTestScope,
} from "./bench-agent.ts";
import { postRepeatedly } from "./bench-client.ts";
import type { BenchRow } from "./bench-row.ts";

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
type Timed = { readonly perSecond: number; readonly medianMs: number; readonly p99Ms: number };

async function timeCalls({ agent, rpc, format, bodyOf, inFlight, count }: Calls): Promise<Timed> {
  const path = `/svc.v1.${rpc}`;
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
  return { perSecond, medianMs: at(0.5), p99Ms: at(0.99) };
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
      const { perSecond, medianMs, p99Ms } = await withTestScope(async (scope) => {
        const agent = await startBenchAgent(scope, { config: passiveHostsDocument(hosts) });
        const calls = { agent, rpc, format, bodyOf: (n: number) => bodyOf(format, n), inFlight: clients };
        // Warm-up: compiles the code, as in an agent that has run for a while.
        await timeCalls({ ...calls, count: 20_000 });
        return timeCalls({ ...calls, count: 30_000 });
      });
      const note = `median ${medianMs.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms; ${loadAverage()}`;
      const short = format === "application/json" ? "JSON" : "protobuf";
      rows.push({ name: `${name}, ${clients} clients, ${short}`, rate: perSecond, unit: "commands/s", note });
    }
  return rows;
}

const batchSize = 1_000;

function batch(format: Format, n: number): Body {
  const names = Array.from({ length: batchSize }, (_, i) => `web${i % hosts}`);
  const output = `TCP OK - 0.003 second response time on port 443, turn ${n}`;
  if (format === "application/json")
    return JSON.stringify({
      results: names.map((name) => ({
        object: { host: { name } },
        status: "STATUS_OK",
        output,
        perfdata: "time=0.003s",
      })),
    });
  const results = names.map((name) => ({
    ...{ object: { ref: { case: "host" as const, value: { name } } }, status: Status.OK },
    ...{ output, perfdata: "time=0.003s" },
  }));
  return toBinary(ProcessCheckResultsRequestSchema, create(ProcessCheckResultsRequestSchema, { results }));
}

/** Measures results in batches of a thousand, until the last one is applied. */
export const benchPassiveBatches = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const agent = await startBenchAgent(scope, { config: passiveHostsDocument(hosts) });
    const rows: BenchRow[] = [];
    for (const format of formats) {
      // Encoded beforehand, so that the work of senders is not measured.
      const bodies = Array.from({ length: 20 }, (_, n) => batch(format, n));
      const calls = { agent, rpc: "CommandService/ProcessCheckResults", format, inFlight: 4 };
      const bodyOf = (n: number): Body => bodies[n % bodies.length] ?? "";
      await timeCalls({ ...calls, bodyOf, count: 30 });
      await untilApplied(agent);
      const startedMs = performance.now();
      const { medianMs, p99Ms } = await timeCalls({ ...calls, bodyOf, count: 300 });
      await untilApplied(agent);
      const rate = (300 * batchSize) / ((performance.now() - startedMs) / 1_000);
      const short = format === "application/json" ? "JSON" : "protobuf";
      const note = `batches of ${batchSize}, 4 senders, until applied; median response ${medianMs.toFixed(0)} ms, p99 ${p99Ms.toFixed(0)} ms; ${loadAverage()}`;
      rows.push({ name: `passive results, ${short}`, rate, unit: "results/s", note });
    }
    return rows;
  });

const lines = 300_000;

/** Measures the command file, from the first byte written to the last line applied. */
export const benchCommandFile = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const file = join(tempFolder(scope, "fifo"), "commands");
    const agent = await startBenchAgent(scope, {
      config: passiveHostsDocument(hosts),
      flags: { "command-file": file },
    });
    const atS = Math.floor(Date.now() / 1_000);
    const textOf = (n: number): string =>
      `[${atS}] PROCESS_HOST_CHECK_RESULT;web${n % hosts};0;PING OK - Packet loss = 0%, turn ${n}|rta=0.8ms\n`;
    const pieces = Array.from({ length: lines / batchSize }, (_, at) =>
      Array.from({ length: batchSize }, (_, n) => textOf(at * batchSize + n)).join(""),
    );
    const startedMs = performance.now();
    await pipeline(Readable.from(pieces), createWriteStream(file));
    const accepted = 'external_command_lines_total{outcome="accepted"}';
    await until("all lines are accepted", async () => (await metricOf(agent, accepted)) === lines, {
      withinMs: 120_000,
    });
    await untilApplied(agent);
    const rate = lines / ((performance.now() - startedMs) / 1_000);
    return [
      { name: "command file", rate, unit: "lines/s", note: `results, one writer, until applied; ${loadAverage()}` },
    ];
  });
