import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { startHttp } from "../run/sink-receivers.ts";
import { distinct, linesOf, readIfThere, sinksDocument, sinkWait, submitValue, upTo, valuesIn } from "./sink-agent.ts";

test("[SK2] the points of accepted results are at the sinks although the agent was killed right after the answer", async (t) => {
  const folder = tempFolder(t, "kill");
  const config = sinksDocument(`{
	file: {type: "file", path: "${folder}/out", cursor: "file.cursor"}
	none: {type: "file", path: "${folder}/none", selector: "@name=other", cursor: "none.cursor"}
}`);
  const agent = await startTestAgent(t, { config });
  const sent = (): number[] => valuesIn(readIfThere(join(folder, "out"))).map((value) => Math.round(value * 1_000));
  let last = 0;
  for (let kill = 0; kill < 4; kill += 1) {
    for (const next = last + 20; last < next; last += 1) await submitValue(agent, last + 1);
    process.kill(agent.pid, "SIGKILL");
    await agent.restart();
  }
  await until("the file has every point", () => sent().length === last, { ...sinkWait, seen: sent });
  assert.deepEqual(sent(), upTo(last));
});

test("[SK5] ListSinks and the metrics show a sink that fails, without its address, and a restart keeps its queue", async (t) => {
  const folder = tempFolder(t, "sinks");
  const sinks = `{
	dead: {type: "http", url: "http://127.0.0.1:1/secretpath", headers: {Authorization: "canary"}, cursor: "dead"}
	file: {type: "file", path: "${folder}/out"}
}`;
  const agent = await startTestAgent(t, { config: sinksDocument(sinks) });
  await submitValue(agent, 1);
  type SinkJson = { name: string; queued?: string; failingSince?: string; lastError?: string; lastDelivered?: string };
  const sinkNamed = async (name: string): Promise<SinkJson | undefined> =>
    ((await call(agent.base, "QueryService/ListSinks")).body["sinks"] as SinkJson[]).find((sink) => sink.name === name);
  const dead = await until(
    "the sink fails",
    async () => {
      const sink = await sinkNamed("dead");
      return sink?.failingSince === undefined ? undefined : sink;
    },
    sinkWait,
  );
  assert.equal(dead.queued, "1");
  assert.equal(dead.lastError, "connection refused");
  const file = await until(
    "the file has the point",
    async () => ((await sinkNamed("file"))?.lastDelivered ? sinkNamed("file") : undefined),
    sinkWait,
  );
  assert.equal(file.queued ?? "0", "0");
  const page = await (await fetch(`${agent.base}/metrics`)).text();
  assert.match(page, /realmwatch_sink_records_total\{sink="file"\} 1\n/);
  assert.match(page, /realmwatch_sink_failed_total\{sink="dead",reason="connect"\} [1-9]/);
  assert.match(page, /realmwatch_sink_queue_length\{sink="dead"\} 1\n/);
  assert.match(page, /realmwatch_sink_cursor_lag_seconds\{sink="dead"\} [0-9.]+\n/);
  await agent.restart();
  await until("the queue is back", async () => (await sinkNamed("dead"))?.queued === "1", sinkWait);
  for (const canary of ["secretpath", "canary"]) assert.equal(agent.output().includes(canary), false);
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
  const write = (url: string): void => writeFileSync(config, sinksDocument(`s: {type: "http", url: "${url}"}`));
  write(a);
  const agent = await startTestAgent(t, { config });
  for (let value = 1; value <= 5; value += 1) await submitValue(agent, value);
  await until("a point arrived", () => received["a"] !== "", sinkWait);
  write(b);
  agent.signal("SIGHUP");
  for (let value = 6; value <= 40 && received["b"] === ""; value += 1) await submitValue(agent, value);
  await submitValue(agent, 41);
  const values = () =>
    linesOf(`${received["a"]}${received["b"]}`).map(({ value }) => Math.round(Number(value) * 1_000));
  await until("the last point arrived", () => values().includes(41), sinkWait);
  assert.notEqual(received["a"], "");
  assert.deepEqual(values(), distinct(values()), "in order and without repetitions");
  assert.ok(Array.from({ length: 5 }, (_, at) => at + 1).every((value) => values().includes(value)));
});
