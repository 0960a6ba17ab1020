import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sleep } from "@realmwatch/shared/model/clock";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { centreStreams } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect } from "nats";
import { startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { startTcpTarget, type TestProgram, tempFolder } from "../../run/processes.ts";
import { metricOf, startBenchAgent, withTestScope } from "../bench-agent.ts";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";

/** Hosts whose ports are checked every five seconds, of which the first few refuse connections, and services with results. */
const [ports, programs, passive] = [2_000, 100, 8_000];
const measuredMs = sized(60_000, 15_000);
/** Work of others a second: results in one batch, comments, and clients that read a page each. */
const [results, comments, readers] = [200, 10, 10];

const many = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join("\n");

const every = `check_interval: "5s", retry_interval: "5s", timeout: "4s", flap: {enabled: false}`;
const passively = `type: "passive", freshness_threshold: "24h", max_attempts: 1, flap: {enabled: false}`;

const documentOf = (target: string, webhook: string, file: string): string => `
contacts: ops: {type: "webhook", url: "${webhook}/ops"}
notifications: ops: levels: [{contacts: ["ops"]}]
sinks: perfdata: {type: "file", path: "${file}", cursor: "perfdata.cursor"}
hosts: {
${many(ports, (at) => `port${at}: {address: "127.0.0.1", notification: "ops", check: {type: "tcp", address: "${target}", ${every}}}`)}
${many(programs, (at) => `program${at}: {address: "127.0.0.1", check: {type: "legacy", path: "/bin/echo", args: ["OK | time=0.${at}s"], ${every}}}`)}
${many(passive, (at) => `web${at}: {address: "127.0.0.1", notification: "ops", check: {${passively}}}`)}
}
`;

/** Processor time of the threads of a process so far, by the names that they give themselves, s. */
function cpuSecondsOfThreads(pid: number): Map<string, number> {
  const seconds = new Map<string, number>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, "latin1");
    const [name, fields] = [stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")")), stat.split(") ").at(-1) ?? ""];
    const [user = 0, system = 0] = fields.split(" ").slice(11, 13).map(Number);
    seconds.set(name, (seconds.get(name) ?? 0) + (user + system) / 100);
  }
  return seconds;
}

/** Does some work every second until `isOver`. */
async function eachSecond(isOver: () => boolean, work: (turn: number) => Promise<unknown>): Promise<void> {
  for (let turn = 0; !isOver(); turn++) {
    const startedMs = performance.now();
    await work(turn);
    await sleep(systemClock, Math.max(0, 1_000 - (performance.now() - startedMs)));
  }
}

/** Sends results of which one in fifty is a problem, and comments, and reads pages, as a site does all day. */
function startWork(agent: TestProgram, isOver: () => boolean): Promise<unknown> {
  const post = async (method: string, request: object): Promise<Record<string, unknown>> => {
    const answer = await call(agent.base, method, request);
    if (!answer.ok) throw new Error(`${method}: ${answer.message}`);
    return answer.body;
  };
  const object = (at: number) => ({ host: { name: `web${at % passive}` } });
  const sendResults = (turn: number) =>
    post("CommandService/ProcessCheckResults", {
      results: Array.from({ length: results }, (_, at) => ({
        object: object(turn * results + at),
        status: at % 50 === turn % 50 ? "STATUS_CRITICAL" : "STATUS_OK",
        output: `HTTP - 0.0${turn % 10} s|time=0.0${turn % 10}s;1;2 size=${turn}B`,
      })),
    });
  const sendComments = (turn: number) =>
    Promise.all(
      Array.from({ length: comments }, (_, at) =>
        post("CommandService/AddComment", {
          target: { object: object(turn * comments + at) },
          ...{ author: "ops", text: `seen in turn ${turn}` },
        }),
      ),
    );
  const since: unknown[] = [];
  const readPages = () =>
    Promise.all(
      Array.from({ length: readers }, async (_, at) => {
        const page = await post("QueryService/ListStatus", {
          ...{ pageSize: 200, sort: "name", changedSince: since[at] ?? "" },
        });
        since[at] = page["revision"];
      }),
    );
  return Promise.all([sendResults, sendComments, readPages].map((work) => eachSecond(isOver, work)));
}

/** Measures one agent at everything that a site gives it to do at once: what it takes of the processor, and delays. */
export const benchMix = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const nats = await startNatsServer();
    atEnd(scope, () => nats[Symbol.asyncDispose]());
    const connection = await connect({ servers: nats.url });
    await setUpStreams(await connection.jetstreamManager(), centreStreams);
    await connection.close();
    const receiver = await startWebhookReceiver(scope);
    const target = await startTcpTarget(scope);
    const agent = await startBenchAgent(scope, {
      config: documentOf(target.address, receiver.url, join(tempFolder(scope), "perfdata.ndjson")),
      flags: { "nats-url": nats.url },
      realm: "mix",
    });
    await until(
      "all ports are checked",
      async () => (await metricOf(agent, "check_latency_seconds_count")) >= ports + programs,
      {
        withinMs: 120_000,
      },
    );
    let isOver = false;
    const work = startWork(agent, () => isOver);
    await sleep(systemClock, 5_000);
    const read = async () => ({
      threads: cpuSecondsOfThreads(agent.pid),
      latencyS: await metricOf(agent, "check_latency_seconds_sum"),
      checks: await metricOf(agent, "check_latency_seconds_count"),
    });
    const before = await read();
    await sleep(systemClock, measuredMs);
    const after = await read();
    isOver = true;
    await work;
    const checks = after.checks - before.checks;
    const share = (name: string): number =>
      (((after.threads.get(name) ?? 0) - (before.threads.get(name) ?? 0)) / measuredMs) * 100_000;
    const busy = [...after.threads.keys()].filter((name) => share(name) >= 1);
    const whole = busy.reduce((sum, name) => sum + share(name), 0);
    const unit = "% of a core";
    const note = `${ports} ports and ${programs} programs every 5 s; each second ${results} results, ${comments} comments, ${readers} pages`;
    return [
      { name: "a day's mix: checks", rate: (checks / measuredMs) * 1_000, unit: "checks/s", note },
      { name: "mean delay of checks", rate: ((after.latencyS - before.latencyS) / checks) * 1_000, unit: "ms" },
      { name: "processor time", rate: whole, unit },
      ...busy.map((name) => ({ name: `processor time: ${name}`, rate: share(name), unit })),
      {
        name: "event loop delay of the engine, 99 %",
        rate: (await delayOf(agent, "event_loop_delay")) * 1_000,
        unit: "ms",
      },
      {
        name: "event loop delay of the port, 99 %",
        rate: (await delayOf(agent, "port_event_loop_delay")) * 1_000,
        unit: "ms",
      },
    ];
  });

const delayOf = (agent: TestProgram, name: string): Promise<number> =>
  metricOf(agent, `${name}_seconds{percentile="99"}`);
