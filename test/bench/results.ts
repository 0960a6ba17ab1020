import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { create, toBinary } from "@bufbuild/protobuf";
import { ProcessCheckResultsRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type TestProgram, tempFolder } from "../run/processes.ts";
import { metricOf, passiveHostsDocument, startBenchAgent, untilApplied, withTestScope } from "./bench-agent.ts";
import { postRepeatedly } from "./bench-client.ts";
import type { BenchRow } from "./bench-row.ts";
import { startIcingaApi } from "./peers/icinga2-api.ts";
import { startNagiosPipe } from "./peers/nagios4-pipe.ts";
import { cpuSecondsOfTree } from "./process-tree.ts";
import { sized } from "./runner/bench-size.ts";

const hosts = 5_000;
const batchSize = 1_000;
const batches = sized(300, 60);
const lines = sized(300_000, 60_000);
const senders = 4;
const path = "/svc.v1.CommandService/ProcessCheckResults";

/** Names of the rows that others are compared with. */
const [ofNagios, ofIcinga] = ["Nagios 4, command pipe", "Icinga 2, one call with a filter"];

function batch(isJson: boolean, n: number): string | Uint8Array {
  const names = Array.from({ length: batchSize }, (_, i) => `web${i % hosts}`);
  const output = `TCP OK - 0.003 second response time on port 443, turn ${n}`;
  const perfdata = "time=0.003s";
  if (isJson)
    return JSON.stringify({
      results: names.map((name) => ({ object: { host: { name } }, status: "STATUS_OK", output, perfdata })),
    });
  const results = names.map((name) => ({
    ...{ object: { ref: { case: "host" as const, value: { name } } }, status: Status.OK, output, perfdata },
  }));
  return toBinary(ProcessCheckResultsRequestSchema, create(ProcessCheckResultsRequestSchema, { results }));
}

type Worked = { readonly perSecond: number; readonly cpuMs: number };

/** Rate and processor time of a process tree, for `count` results that `work` sends until they are applied. */
async function timeResults(pid: number, count: number, work: () => Promise<unknown>): Promise<Worked> {
  const cpuBefore = cpuSecondsOfTree(pid);
  const startedMs = performance.now();
  await work();
  const perSecond = (count / (performance.now() - startedMs)) * 1_000;
  return { perSecond, cpuMs: ((cpuSecondsOfTree(pid) - cpuBefore) * 1_000) / count };
}

const rowOf = (name: string, { perSecond, cpuMs }: Worked, more: Partial<BenchRow> = {}): BenchRow => ({
  ...{ name, rate: perSecond, unit: "results/s", cpuMs, ...more },
});

/** Measures results in batches of a thousand, until the last one is applied. */
export const benchPassiveBatches = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const agent = await startBenchAgent(scope, { config: passiveHostsDocument(hosts) });
    const rows: BenchRow[] = [];
    for (const isJson of [false, true]) {
      // Encoded beforehand, so that the work of senders is not measured.
      const bodies = Array.from({ length: 20 }, (_, n) => batch(isJson, n));
      const contentType = isJson ? "application/json" : "application/proto";
      const bodyOf = (n: number) => bodies[n % bodies.length] ?? "";
      const send = async (count: number): Promise<void> => {
        await postRepeatedly({ base: agent.base, path, contentType, bodyOf, clients: senders, count });
        await untilApplied(agent);
      };
      await send(30);
      const worked = await timeResults(agent.pid, batches * batchSize, () => send(batches));
      const note = `batches of ${batchSize}, ${senders} senders, until applied`;
      rows.push(rowOf(`calls, ${isJson ? "JSON" : "protobuf"}`, worked, { note, against: [ofIcinga, ofNagios] }));
    }
    return rows;
  });

/** Lines for a command file: results of `hosts` hosts. */
function commandLines(status: (n: number) => number): string[] {
  const atS = Math.floor(Date.now() / 1_000);
  const textOf = (n: number): string =>
    `[${atS}] PROCESS_HOST_CHECK_RESULT;web${n % hosts};${status(n)};PING OK - Packet loss = 0%, turn ${n}|rta=0.8ms\n`;
  return Array.from({ length: lines / batchSize }, (_, at) =>
    Array.from({ length: batchSize }, (_, n) => textOf(at * batchSize + n)).join(""),
  );
}

/** Measures the command file, from the first byte written to the last line applied. */
export const benchCommandFile = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const file = join(tempFolder(scope, "fifo"), "commands");
    const config = passiveHostsDocument(hosts);
    const agent = await startBenchAgent(scope, { config, flags: { "command-file": file } });
    const worked = await timeResults(agent.pid, lines, () => writeLines(agent, file));
    const note = "one writer, until applied";
    return [rowOf("command file", worked, { note, against: [ofNagios, ofIcinga] })];
  });

async function writeLines(agent: TestProgram, file: string): Promise<void> {
  await pipeline(Readable.from(commandLines(() => 0)), createWriteStream(file));
  const accepted = 'external_command_lines_total{outcome="accepted"}';
  await until("all lines are accepted", async () => (await metricOf(agent, accepted)) === lines, {
    withinMs: 120_000,
  });
  await untilApplied(agent);
}

/** Measures the same results into Nagios and Icinga 2, each by its fastest way in. */
export const benchPeers = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const rows: BenchRow[] = [];
    const nagios = await startNagiosPipe(scope, hosts);
    if (nagios !== undefined) {
      const write = () =>
        nagios.write(
          commandLines((n) => (n === lines - 1 ? 1 : 0)),
          `web${(lines - 1) % hosts}`,
        );
      rows.push(
        rowOf(ofNagios, await timeResults(nagios.pid, lines, write), {
          note: "one writer, until applied; it logs changes only",
        }),
      );
    }
    const icinga = await startIcingaApi(scope, { hosts, clients: 1 });
    if (icinga !== undefined) {
      const calls = sized(20, 4);
      const send = async (): Promise<void> => {
        for (let n = 0; n < calls; n += 1) await icinga.processResults(`PING OK - turn ${n}`);
      };
      await icinga.processResults("warm-up");
      rows.push(rowOf(ofIcinga, await timeResults(icinga.pid, calls * hosts, send), { note: `${hosts} hosts a call` }));
    }
    return rows;
  });
