import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call, type RpcAnswer } from "../run/call.ts";
import { outputOf } from "../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { isInstalled, startClickHouse, startPrometheus } from "../run/sink-receivers.ts";
import { jobLine } from "../run/small-realm.ts";

const skip = isInstalled("prometheus") && isInstalled("clickhouse-server") ? false : "needs prometheus and clickhouse";
const patient = { withinMs: 60_000, everyMs: 100 };
const job = { service: { host: "web1", name: "job" } };

const document = (more: string): string => `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", flap: {}}
	services: {${jobLine}}
}
${more}
`;

const submit = (agent: TestProgram, perfdata: string): Promise<RpcAnswer> =>
  sendCommand(agent.base, "ProcessCheckResult", { object: job, status: "STATUS_OK", output: "ok", perfdata });

type Series = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly points?: readonly { readonly at: string; readonly value?: number }[];
};
const seriesOf = ({ body }: RpcAnswer): readonly Series[] => (body["series"] ?? []) as Series[];
const valuesOf = (answer: RpcAnswer): number[] =>
  seriesOf(answer).flatMap(({ points = [] }) => points.map(({ value = 0 }) => value));
const code = async (base: string, rpc: string, body: object): Promise<string> =>
  (await call(base, `QueryService/${rpc}`, body)).code;

test("[MT2, MT6] local: an agent serves its own recording, over a kill too, and no panels", async (t) => {
  const agent = await startTestAgent(t, {
    config: document(`datasources: own: {type: "local", default: true}
ui: panels: orders: {query: "up"}`),
  });
  const metric = { object: job, metric: "time" };
  for (const value of [250, 750]) {
    await submit(agent, `time=${value}ms;;;0 size=15412B 'free space'=12.5%`);
    await until("the result is applied", async () =>
      valuesOf(
        await call(agent.base, "QueryService/QueryObjectMetric", {
          ...metric,
          step: "0.001s",
          from: new Date(Date.now() - 10_000).toISOString(),
        }),
      ).includes(value),
    );
  }
  const listed = await call(agent.base, "QueryService/ListObjectMetrics", { object: job });
  assert.deepEqual(listed.body["metrics"], [
    { label: "free space", uom: "%" },
    { label: "size", uom: "B" },
    { label: "time", uom: "ms" },
  ]);
  const [series] = seriesOf(await call(agent.base, "QueryService/QueryObjectMetric", metric));
  assert.deepEqual([series?.name, series?.labels], ["time", { label: "time", unit: "ms" }]);
  assert.deepEqual(await code(agent.base, "QueryPanel", { panel: "orders" }), "failed_precondition");
  const env = { REALMWATCH_SERVER: agent.base, NO_COLOR: "1" };
  assert.match(await outputOf(["metrics", "web1!job"], env), /^METRIC +UNIT\nfree space +%\nsize +B\ntime +ms\n$/);
  assert.match(
    await outputOf(["metrics", "web1!job", "size", "-from", "5m", "-step", "1s"], env),
    /^TIME .*\n.* 15412 +B\n/,
  );
  await agent.stop("SIGTERM");
  await agent.restart();
  const after = await call(agent.base, "QueryService/QueryObjectMetric", { ...metric, step: "15s" });
  assert.ok(valuesOf(after).length > 0, JSON.stringify(after.body));
});

test("[MT7] the codes of wrong and impossible queries", async (t) => {
  const dead = await freePort();
  const datasources = `datasources: {
	dead: {type: "prometheus", url: "http://127.0.0.1:${dead}", default: true}
	nothing: {type: "prometheus", url: "mailto:nobody"}
}
ui: panels: {
	orders: {query: "up"}
	lost: {query: "up", datasource: "gone"}
	unusable: {query: "up", datasource: "nothing"}
}`;
  const agent = await startTestAgent(t, { config: document(datasources) });
  const bare = await startTestAgent(t, { config: document('ui: panels: orders: {query: "up"}') });
  const host = { host: { name: "web1" } };
  const range = (from: string, to: string, step?: string) => ({ panel: "orders", from, to, ...(step ? { step } : {}) });
  const [early, late] = ["2026-03-01T00:00:00Z", "2026-03-02T00:00:00Z"];
  const cases: [TestProgram, string, object, string][] = [
    [agent, "QueryPanel", { panel: "orders" }, "unavailable"],
    [agent, "QueryPanel", { panel: "nope" }, "not_found"],
    [agent, "QueryPanel", { panel: "" }, "not_found"],
    [agent, "QueryPanel", { panel: "lost" }, "failed_precondition"],
    [agent, "QueryPanel", { panel: "unusable" }, "internal"],
    [agent, "QueryPanel", { panel: "orders", realm: "mars" }, "not_found"],
    [agent, "QueryPanel", range(late, early), "invalid_argument"],
    [agent, "QueryPanel", range(early, late, "0s"), "invalid_argument"],
    [agent, "QueryPanel", range(early, late, "-1s"), "invalid_argument"],
    [agent, "QueryPanel", range(early, late, "1s"), "invalid_argument"],
    [agent, "ListObjectMetrics", { object: host }, "unavailable"],
    [agent, "ListObjectMetrics", { object: { host: { name: "web9" } } }, "not_found"],
    [agent, "ListObjectMetrics", {}, "invalid_argument"],
    [agent, "QueryObjectMetric", { object: host, metric: "time" }, "unavailable"],
    [agent, "QueryObjectMetric", { object: { host: { name: "web9" } }, metric: "time" }, "not_found"],
    [agent, "QueryObjectMetric", { object: host }, "invalid_argument"],
    [bare, "QueryPanel", { panel: "orders" }, "failed_precondition"],
    [bare, "ListObjectMetrics", { object: host }, "failed_precondition"],
    [bare, "QueryObjectMetric", { object: host, metric: "time" }, "failed_precondition"],
    [bare, "QueryObjectMetric", { object: { process: { name: "no" } }, metric: "time" }, "not_found"],
  ];
  for (const [program, rpc, body, expected] of cases)
    assert.equal(await code(program.base, rpc, body), expected, `${rpc} ${JSON.stringify(body)}`);
});

test("[MT8, MT9] Prometheus and ClickHouse serve panels and objects' metrics, through an aggregator too", {
  skip,
}, async (t) => {
  const [prometheus, clickHouse, nats] = await Promise.all([startPrometheus(t), startClickHouse(t), startNats(t)]);
  const sinks = `sinks: [string]: flush_interval: "200ms"
sinks: {
	prom: {type: "remote_write", url: "${prometheus.url}/api/v1/write"}
	click: {type: "columnar_db", url: "${clickHouse.url}"}
}
ui: panels: {
	time: {datasource: "prom", query: "realmwatch_perfdata{label=\\"time\\"} * 1000", unit: "ms"}
	rows: {datasource: "click", query: "SELECT intDiv(toUnixTimestamp(ts), 3600) * 3600 AS time, host, count() AS n FROM perfdata WHERE ts >= {from} AND ts <= {to} GROUP BY time, host;"}
	wrong: {datasource: "prom", query: "sum("}
	drop: {datasource: "click", query: "DROP TABLE perfdata"}
}`;
  const config = (standard: string): string =>
    document(`${sinks}
datasources: {
	prom: {type: "prometheus", url: "${prometheus.url}/", default: ${standard === "prom"}}
	click: {type: "columnar_db", url: "${clickHouse.url}", default: ${standard === "click"}}
}`);
  const file = join(tempFolder(t, "datasources"), "config.cue");
  writeFileSync(file, config("prom"));
  const agent = await startTestAgent(t, { config: file, realm: "fra", flags: { "nats-url": nats.url } });
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", flags: { "nats-url": nats.url } });
  await submit(agent, `time=250ms 'it''s "odd" \\ name'=3 bytes=1024KB`);
  const metric = { object: job, metric: "time" };
  for (const base of [agent.base, centre.base]) {
    await until(
      "Prometheus has the metric",
      async () => valuesOf(await call(base, "QueryService/QueryObjectMetric", metric)).includes(0.25),
      patient,
    );
    const [series] = seriesOf(await call(base, "QueryService/QueryObjectMetric", metric));
    assert.deepEqual(
      [series?.name, series?.labels["unit"], series?.labels["realm"]],
      ["realmwatch_perfdata", "seconds", "fra"],
    );
    const panel = await call(base, "QueryService/QueryPanel", { panel: "time" });
    assert.deepEqual([panel.body["unit"], valuesOf(panel).at(-1)], ["ms", 250]);
    assert.equal(await code(base, "QueryPanel", { panel: "wrong" }), "unavailable");
    const odd = await call(base, "QueryService/QueryObjectMetric", { object: job, metric: `it's "odd" \\ name` });
    assert.ok(valuesOf(odd).includes(3), JSON.stringify(odd.body));
  }
  const expected = [{ label: "bytes", uom: "B" }, { label: `it's "odd" \\ name` }, { label: "time", uom: "s" }];
  const sorted = ({ body }: RpcAnswer): unknown => body["metrics"];
  assert.deepEqual(sorted(await call(agent.base, "QueryService/ListObjectMetrics", { object: job })), expected);
  assert.equal(
    (await call(agent.base, "QueryService/ListObjectMetrics", { object: { host: { name: "web1" } } })).body["metrics"],
    undefined,
  );

  writeFileSync(file, config("click"));
  agent.signal("SIGHUP");
  await until(
    "ClickHouse has the metric",
    async () => {
      const found = seriesOf(await call(agent.base, "QueryService/QueryObjectMetric", metric));
      return found.some(({ name, points }) => name === "time" && points?.some(({ value }) => value === 0.25));
    },
    patient,
  );
  assert.deepEqual(sorted(await call(agent.base, "QueryService/ListObjectMetrics", { object: job })), expected);
  const odd = await call(centre.base, "QueryService/QueryObjectMetric", { object: job, metric: `it's "odd" \\ name` });
  assert.deepEqual(valuesOf(odd), [3]);
  const panel = await call(centre.base, "QueryService/QueryPanel", { panel: "rows", realm: "fra" });
  assert.deepEqual(
    seriesOf(panel).map(({ name, labels }) => [name, labels]),
    [["n", { host: "web1" }]],
  );
  assert.ok(valuesOf(panel)[0] === 3, JSON.stringify(panel.body));
  assert.equal(await code(agent.base, "QueryPanel", { panel: "drop" }), "unavailable");
  assert.equal(
    valuesOf(await call(agent.base, "QueryService/QueryObjectMetric", metric)).length,
    1,
    "the table is left",
  );
  assert.equal(await code(centre.base, "QueryPanel", { panel: "nope" }), "not_found");
  assert.equal(await code(centre.base, "ListObjectMetrics", { object: { host: { name: "web9" } } }), "not_found");
});
