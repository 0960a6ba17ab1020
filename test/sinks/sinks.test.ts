import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import {
  clickHouseRows,
  isInstalled,
  promSamples,
  promValue,
  startClickHouse,
  startHttp,
  startOtlp,
  startPrometheus,
  startS3,
} from "../run/sink-receivers.ts";
import { jobLine } from "../run/small-realm.ts";

const skip = isInstalled("prometheus") && isInstalled("clickhouse-server") ? false : "needs prometheus and clickhouse";
const patient = { withinMs: 60_000, everyMs: 100 };

/** Values in lines of JSON, each once, in ascending order. */
const valuesIn = (text: string): number[] => distinct(linesOf(text).map(({ value }) => Number(value)));
const linesOf = (text: string): Record<string, unknown>[] =>
  text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
const distinct = (values: readonly number[]): number[] => [...new Set(values)].sort((a, b) => a - b);
const upTo = (last: number): number[] => Array.from({ length: last }, (_, at) => at + 1);
const readIfThere = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

async function submit(agent: TestProgram, value: number): Promise<void> {
  const answer = await sendCommand(agent.base, "ProcessCheckResult", {
    object: { service: { host: "web1", name: "job" } },
    status: value % 2 === 0 ? "STATUS_OK" : "STATUS_WARNING",
    output: `result ${value}`,
    perfdata: `n=${value}ms;5;;0;100`,
  });
  assert.ok(answer.ok, answer.message);
}

/** Table of points as an operator makes it, without the columns that are not wanted. */
const pointsTable =
  "CREATE TABLE perfdata (ts DateTime, host String, service String, label String, value Float64) " +
  "ENGINE = MergeTree() ORDER BY (host, service, label, ts)";

const document = (sinks: string): string => `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: {${jobLine}}
}
hosts: other: {address: "127.0.0.1", check: {type: "passive", freshness_threshold: "1h", flap: {}}}
sinks: [string]: {flush_interval: "200ms"}
sinks: ${sinks}
`;

/** Receivers of every sink type, and how to read the values that each has. */
async function startReceivers(t: TestContext) {
  const folder = tempFolder(t, "sinks");
  const [prometheus, clickHouse, otlp, s3] = await Promise.all([
    startPrometheus(t),
    startClickHouse(t),
    startOtlp(t),
    startS3(t, "events"),
  ]);
  let posted = "";
  const http = await startHttp(t, async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    posted += body;
    response.end();
  });
  const seconds = (value: number): number => Math.round(value * 1_000);
  const metrics: Record<string, () => Promise<number[]>> = {
    file: async () => valuesIn(readIfThere(join(folder, "metrics.ndjson"))).map(seconds),
    exec: async () => valuesIn(readIfThere(join(folder, "exec.ndjson"))).map(seconds),
    http: async () => valuesIn(posted).map(seconds),
    otlp: async () =>
      distinct(otlp.points.flatMap(({ metric, value }) => (metric === "realmwatch.perfdata" ? [value ?? -1] : []))).map(
        seconds,
      ),
    columnar_db: async () =>
      (await clickHouseRows(clickHouse.url, "SELECT DISTINCT value FROM perfdata ORDER BY value")).map(({ value }) =>
        seconds(Number(value)),
      ),
    remote_write: async () =>
      distinct(
        (await promSamples(prometheus.url, `realmwatch_perfdata{label="n"}`)).flatMap(({ values }) =>
          values.map(([, value]) => Number(value)),
        ),
      ).map(seconds),
  };
  const sinks = `{
	file: {type: "file", path: "${folder}/metrics.ndjson", cursor: "file.cursor"}
	exec: {type: "exec", command: ["/bin/sh", "-c", "exec cat >> ${folder}/exec.ndjson"], cursor: "exec.cursor"}
	http: {type: "http", url: "${http}", cursor: "http.cursor"}
	otlp: {type: "otlp", url: "${otlp.url}", cursor: "otlp.cursor"}
	logs: {type: "otlp", url: "${otlp.url}", input: "events", cursor: "logs.cursor"}
	db: {type: "columnar_db", url: "${clickHouse.url}"}
	db_events: {type: "columnar_db", url: "${clickHouse.url}", table: "events", input: "events"}
	prom: {type: "remote_write", url: "${prometheus.url}/api/v1/write", cursor: "prom.cursor"}
	folder: {type: "archive", url: "file://${folder}/archive"}
	store: {type: "archive", url: "s3://events/realm"}
	none: {type: "file", path: "${folder}/none.ndjson", selector: "@name=other"}
}`;
  const outputs: Record<string, () => Promise<string[]>> = {
    folder: async () => outputsIn(archiveText(join(folder, "archive"))),
    store: async () => outputsIn((await Promise.all((await s3.keys()).map(s3.text))).join("")),
    logs: async () => outputsIn(otlp.logs.map(({ body }) => `${body}\n`).join("")),
    db_events: async () =>
      [
        ...new Set(
          (await clickHouseRows(clickHouse.url, "SELECT output FROM events ORDER BY seq")).map(({ output }) =>
            String(output),
          ),
        ),
      ].filter((output) => output.startsWith("result")),
  };
  return { folder, metrics, outputs, document: document(sinks), env: s3.env };
}

const outputsIn = (text: string): string[] => [
  ...new Set(linesOf(text).flatMap(({ output }) => (String(output).startsWith("result") ? [String(output)] : []))),
];

const archiveText = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ndjson"))
    .sort()
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .join("");

test("[SK2] every sink has the same points and events, although the agent was killed in between", {
  skip,
}, async (t) => {
  const { metrics, outputs, document: config, env, folder } = await startReceivers(t);
  const agent = await startTestAgent(t, { config, env });
  for (let value = 1; value <= 30; value += 1) await submit(agent, value);
  const fileValues = metrics["file"] as () => Promise<number[]>;
  await until("the file has points", async () => (await fileValues()).length >= 20, patient);
  process.kill(agent.pid, "SIGKILL");
  await agent.restart();
  for (let value = 31; value <= 60; value += 1) await submit(agent, value);
  for (const [name, values] of Object.entries(metrics))
    await until(`${name} has the last point`, async () => (await values()).at(-1) === 60, patient);
  const expected = await fileValues();
  assert.deepEqual(expected, upTo(60));
  for (const [name, values] of Object.entries(metrics)) assert.deepEqual(await values(), expected, name);
  const all = upTo(60).map((value) => `result ${value}`);
  for (const [name, found] of Object.entries(outputs))
    await until(`${name} has all events`, async () => (await found()).length === 60, { ...patient, seen: () => name });
  for (const [name, found] of Object.entries(outputs)) assert.deepEqual(await found(), all, name);
  assert.equal(existsSync(join(folder, "none.ndjson")), false, "[SK1] the selector matches no object with data");
});

test("[SK2] the points of accepted results are at the sinks although the agent was killed right after the answer", async (t) => {
  const folder = tempFolder(t, "kill");
  const config = document(`{
	file: {type: "file", path: "${folder}/out", cursor: "file.cursor"}
	none: {type: "file", path: "${folder}/none", selector: "@name=other", cursor: "none.cursor"}
}`);
  const agent = await startTestAgent(t, { config });
  const sent = (): number[] => valuesIn(readIfThere(join(folder, "out"))).map((value) => Math.round(value * 1_000));
  let last = 0;
  for (let kill = 0; kill < 4; kill += 1) {
    for (const next = last + 20; last < next; last += 1) await submit(agent, last + 1);
    process.kill(agent.pid, "SIGKILL");
    await agent.restart();
  }
  await until("the file has every point", () => sent().length === last, { ...patient, seen: sent });
  assert.deepEqual(sent(), upTo(last));
});

test("[SK5] ListSinks and the metrics show a sink that fails, without its address, and a restart keeps its queue", async (t) => {
  const folder = tempFolder(t, "sinks");
  const sinks = `{
	dead: {type: "http", url: "http://127.0.0.1:1/secretpath", headers: {Authorization: "canary"}, cursor: "dead"}
	file: {type: "file", path: "${folder}/out"}
}`;
  const agent = await startTestAgent(t, { config: document(sinks) });
  await submit(agent, 1);
  type SinkJson = { name: string; queued?: string; failingSince?: string; lastError?: string; lastDelivered?: string };
  const sinkNamed = async (name: string): Promise<SinkJson | undefined> =>
    ((await call(agent.base, "QueryService/ListSinks")).body["sinks"] as SinkJson[]).find((sink) => sink.name === name);
  const dead = await until(
    "the sink fails",
    async () => {
      const sink = await sinkNamed("dead");
      return sink?.failingSince === undefined ? undefined : sink;
    },
    patient,
  );
  assert.equal(dead.queued, "1");
  assert.equal(dead.lastError, "connection refused");
  const file = await until(
    "the file has the point",
    async () => ((await sinkNamed("file"))?.lastDelivered ? sinkNamed("file") : undefined),
    patient,
  );
  assert.equal(file.queued ?? "0", "0");
  const page = await (await fetch(`${agent.base}/metrics`)).text();
  assert.match(page, /realmwatch_sink_records_total\{sink="file"\} 1\n/);
  assert.match(page, /realmwatch_sink_failed_total\{sink="dead",reason="connect"\} [1-9]/);
  assert.match(page, /realmwatch_sink_queue_length\{sink="dead"\} 1\n/);
  assert.match(page, /realmwatch_sink_cursor_lag_seconds\{sink="dead"\} [0-9.]+\n/);
  await agent.restart();
  await until("the queue is back", async () => (await sinkNamed("dead"))?.queued === "1", patient);
  for (const canary of ["secretpath", "canary"]) assert.equal(agent.output().includes(canary), false);
});

test("[SK15] Prometheus shows no value of a series that ended, and takes what follows refused samples", {
  skip,
}, async (t) => {
  const prometheus = await startPrometheus(t);
  const url = `${prometheus.url}/api/v1/write`;
  const agent = await startTestAgent(t, { config: document(`prom: {type: "remote_write", url: "${url}"}`) });
  const query = `realmwatch_perfdata{host="web1", service="job", label="n", unit="seconds", realm="default"}`;
  const untilValue = (expected: number) =>
    until(`the value is ${expected}`, async () => Object.is(await promValue(prometheus.url, query), expected), patient);
  await submit(agent, 1);
  await untilValue(0.001);
  await sendCommand(agent.base, "ProcessCheckResult", {
    object: { service: { host: "web1", name: "job" } },
    ...{ status: "STATUS_OK", output: "no data" },
  });
  await untilValue(Number.NaN);
  const late = { executedAt: new Date(Date.now() - 7_200_000).toISOString(), status: "STATUS_OK", perfdata: "n=1ms" };
  await sendCommand(agent.base, "ProcessCheckResults", {
    results: [{ ...late, object: { host: { name: "other" } } }],
  });
  await submit(agent, 3);
  await untilValue(0.003);
});

test("[SK21] events are not inserted into the table of the points, and none is lost until another table is named", {
  skip,
}, async (t) => {
  const { url } = await startClickHouse(t);
  const config = join(tempFolder(t, "tables"), "config.cue");
  const write = (table: string): void =>
    writeFileSync(
      config,
      document(
        `{db: {type: "columnar_db", url: "${url}"}, log: {type: "columnar_db", url: "${url}", input: "events"${table}}}`,
      ),
    );
  // The default of `table` is the same for both inputs.
  write("");
  await fetch(url, { method: "POST", body: pointsTable });
  const agent = await startTestAgent(t, { config });
  const lastError = async (): Promise<unknown> =>
    ((await call(agent.base, "QueryService/ListSinks")).body["sinks"] as Record<string, unknown>[]).find(
      ({ name }) => name === "log",
    )?.["lastError"];
  for (let value = 1; value <= 4; value += 1) await submit(agent, value);
  await until("the sink of events fails", async () => (await lastError()) !== undefined, patient);
  assert.equal(await lastError(), "its table perfdata has no column type: name another one for events");
  const points = () => clickHouseRows(url, "SELECT label, value FROM perfdata ORDER BY value");
  await until("the points are there", async () => (await points()).length >= 4, patient);
  write(`, table: "log"`);
  agent.signal("SIGHUP");
  const outputs = async (): Promise<unknown[]> =>
    (await clickHouseRows(url, "SELECT output FROM log WHERE type = 'state' ORDER BY seq").catch(() => [])).map(
      ({ output }) => output,
    );
  await until("all events are in the new table", async () => (await outputs()).length >= 4, patient);
  assert.deepEqual(await outputs(), ["result 1", "result 2", "result 3", "result 4"]);
  assert.deepEqual(
    (await points()).map(({ label }) => label),
    ["n", "n", "n", "n"],
  );
});

test("[SK10] a reload moves a sink to another receiver: each point is at one of them, once", async (t) => {
  const folder = tempFolder(t, "reload");
  const received: Record<string, string> = { a: "", b: "" };
  const receiver = (name: string) =>
    startHttp(t, async (request, response) => {
      for await (const chunk of request) received[name] += chunk;
      response.end();
    });
  const [a, b] = [await receiver("a"), await receiver("b")];
  const config = join(folder, "config.cue");
  const write = (url: string): void => writeFileSync(config, document(`s: {type: "http", url: "${url}"}`));
  write(a);
  const agent = await startTestAgent(t, { config });
  for (let value = 1; value <= 5; value += 1) await submit(agent, value);
  write(b);
  agent.signal("SIGHUP");
  for (let value = 6; value <= 40 && received["b"] === ""; value += 1) await submit(agent, value);
  await submit(agent, 41);
  const values = () =>
    linesOf(`${received["a"]}${received["b"]}`).map(({ value }) => Math.round(Number(value) * 1_000));
  await until("the last point arrived", () => values().includes(41), patient);
  assert.notEqual(received["a"], "");
  assert.deepEqual(values(), distinct(values()), "in order and without repetitions");
  assert.ok(Array.from({ length: 5 }, (_, at) => at + 1).every((value) => values().includes(value)));
});
