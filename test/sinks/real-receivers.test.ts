import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
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
import { distinct, linesOf, readIfThere, sinksDocument, sinkWait, submitValue, upTo, valuesIn } from "./sink-agent.ts";

const skip = isInstalled("prometheus") && isInstalled("clickhouse-server") ? false : "needs prometheus and clickhouse";

/** Table of points as an operator makes it, without the columns that are not wanted. */
const pointsTable =
  "CREATE TABLE perfdata (ts DateTime, host String, service String, label String, value Float64) " +
  "ENGINE = MergeTree() ORDER BY (host, service, label, ts)";

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
  return { folder, metrics, outputs, document: sinksDocument(sinks), env: s3.env };
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
  for (let value = 1; value <= 30; value += 1) await submitValue(agent, value);
  const fileValues = metrics["file"] as () => Promise<number[]>;
  await until("the file has points", async () => (await fileValues()).length >= 20, sinkWait);
  process.kill(agent.pid, "SIGKILL");
  await agent.restart();
  for (let value = 31; value <= 60; value += 1) await submitValue(agent, value);
  for (const [name, values] of Object.entries(metrics))
    await until(`${name} has the last point`, async () => (await values()).at(-1) === 60, sinkWait);
  const expected = await fileValues();
  assert.deepEqual(expected, upTo(60));
  for (const [name, values] of Object.entries(metrics)) assert.deepEqual(await values(), expected, name);
  const all = upTo(60).map((value) => `result ${value}`);
  for (const [name, found] of Object.entries(outputs))
    await until(`${name} has all events`, async () => (await found()).length === 60, { ...sinkWait, seen: () => name });
  for (const [name, found] of Object.entries(outputs)) assert.deepEqual(await found(), all, name);
  assert.equal(existsSync(join(folder, "none.ndjson")), false, "[SK1] the selector matches no object with data");
});

test("[SK15, SK25] Prometheus shows no value of a series that ended, takes what follows refused samples, and each event", {
  skip,
}, async (t) => {
  const prometheus = await startPrometheus(t);
  const url = `${prometheus.url}/api/v1/write`;
  const sink = `type: "remote_write", url: "${url}"`;
  const agent = await startTestAgent(t, {
    config: sinksDocument(`{prom: {${sink}}, events: {${sink}, input: "events"}}`),
  });
  const query = `realmwatch_perfdata{host="web1", service="job", label="n", unit="seconds", realm="default"}`;
  const untilValue = (expected: number) =>
    until(
      `the value is ${expected}`,
      async () => Object.is(await promValue(prometheus.url, query), expected),
      sinkWait,
    );
  await submitValue(agent, 1);
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
  await submitValue(agent, 3);
  await untilValue(0.003);
  // Changes of the state in the same millisecond, so that some have the same labels and time.
  const results = ["OK", "WARNING", "OK", "WARNING", "OK"].map((status) => ({
    object: { service: { host: "web1", name: "job" } },
    ...{ status: `STATUS_${status}`, output: "flickers" },
  }));
  await sendCommand(agent.base, "ProcessCheckResults", { results });
  type EventRecord = { readonly output: string; readonly at: string };
  let records: readonly EventRecord[] = [];
  await until(
    "each record of the service is a sample",
    async () => {
      const { body } = await call(agent.base, "QueryService/ListHistory", { selector: "@name=job", pageSize: 1_000 });
      records = (body as { records: EventRecord[] }).records;
      const series = await promSamples(prometheus.url, `realmwatch_event{host="web1", service="job"}`);
      const samples = series.reduce((sum, { values }) => sum + values.length, 0);
      return records.filter(({ output }) => output === "flickers").length === 5 && samples === records.length;
    },
    { ...sinkWait, seen: () => records },
  );
  const oldest = records.at(-1);
  const [first] = await promSamples(prometheus.url, `realmwatch_event{service="job", type="state", status="warning"}`);
  assert.deepEqual(first?.values[0], [Date.parse(oldest?.at ?? "") / 1_000, "1"]);
});

test("[SK21] events are not inserted into the table of the points, and none is lost until another table is named", {
  skip,
}, async (t) => {
  const { url } = await startClickHouse(t);
  const config = join(tempFolder(t, "tables"), "config.cue");
  const write = (table: string): void =>
    writeFileSync(
      config,
      sinksDocument(
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
  for (let value = 1; value <= 4; value += 1) await submitValue(agent, value);
  await until("the sink of events fails", async () => (await lastError()) !== undefined, sinkWait);
  assert.equal(await lastError(), "its table perfdata has no column type: name another one for events");
  const points = () => clickHouseRows(url, "SELECT label, value FROM perfdata ORDER BY value");
  await until("the points are there", async () => (await points()).length >= 4, sinkWait);
  write(`, table: "log"`);
  agent.signal("SIGHUP");
  const outputs = async (): Promise<unknown[]> =>
    (await clickHouseRows(url, "SELECT output FROM log WHERE type = 'state' ORDER BY seq").catch(() => [])).map(
      ({ output }) => output,
    );
  await until("all events are in the new table", async () => (await outputs()).length >= 4, sinkWait);
  assert.deepEqual(await outputs(), ["result 1", "result 2", "result 3", "result 4"]);
  assert.deepEqual(
    (await points()).map(({ label }) => label),
    ["n", "n", "n", "n"],
  );
});
