import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read, root } from "../architecture/sources.ts";
import { startNats, startTestAgent, startTestAggregator, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";

const skip = isInstalled("promtool") ? false : "needs promtool";
const rules = "docs/prometheus/alerts.yml";

function promtool(args: readonly string[], input?: string) {
  const { status, stdout, stderr } = spawnSync("promtool", args, {
    cwd: root,
    encoding: "utf8",
    ...(input === undefined ? {} : { input }),
  });
  return { status, output: stdout + stderr };
}

/** Names of our metrics in a text, without the endings of the series of a histogram. */
const metricsIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/\brealmwatch_[a-z0-9_]+/g)].map(([name]) => name.replace(/_(bucket|sum|count)$/, "")));

/** Metrics of the reference page, which a test compares with those that the programs serve. */
const documented = metricsIn(read("docs/reference/metrics.md").text);

/** True for metrics of Node.js and the process, which the metrics library defines. */
const isOfRuntime = (name: string): boolean => /^realmwatch_(process|nodejs)_/.test(name);

test("[MT11] the alert rules are valid, and their tests pass", { skip }, () => {
  for (const args of [
    ["check", "rules", rules],
    ["test", "rules", "docs/prometheus/alerts.test.yml"],
  ]) {
    const { status, output } = promtool(args);
    assert.equal(status, 0, output);
  }
});

test("[MT11] every alert fires in a test of the rules", () => {
  const alerts = [...read(rules).text.matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  const tests = read("docs/prometheus/alerts.test.yml").text;
  const fired = new Set([...tests.matchAll(/runbook_url: RUNBOOKS\/(\w+)\.html/g)].map(([, name]) => name));
  assert.deepEqual(
    alerts.filter((name) => !fired.has(name)),
    [],
  );
});

for (const file of [rules, "docs/grafana/realmwatch.json"])
  test(`[MT11] every metric that ${file} names exists`, () => {
    const named = [...metricsIn(read(file).text)].filter((name) => !isOfRuntime(name));
    assert.ok(named.length > 10);
    assert.deepEqual(
      named.filter((name) => !documented.has(name)),
      [],
    );
  });

test("[MT11] every alert has a runbook and a line of the reference, and every runbook an alert", () => {
  const { text } = read(rules);
  const alerts = [...text.matchAll(/- alert: (\w+)/g)].map(([, name]) => `${name}.md`);
  const linked = [...text.matchAll(/runbook_url: "RUNBOOKS\/(\w+)\.html"/g)].map(([, name]) => `${name}.md`);
  const pages = readdirSync(join(root, "docs/runbooks")).filter((name) => name !== "README.md");
  assert.deepEqual(alerts.sort(), pages.sort());
  assert.deepEqual(linked.sort(), pages.sort());
  for (const page of ["docs/reference/alerts.md", "docs/runbooks/README.md"]) {
    const listed = [...read(page).text.matchAll(/^\| (?:`(\w+)`|\[(\w+)\])/gm)].map(
      ([, code, link]) => `${code ?? link}.md`,
    );
    assert.deepEqual(listed.sort(), pages.sort(), page);
  }
});

test("[MT11] the dashboard has no data source of its own, and every query one of its variables", () => {
  const dashboard = JSON.parse(read("docs/grafana/realmwatch.json").text) as {
    uid: unknown;
    panels: { type: string; datasource?: { uid: string } }[];
    templating: { list: { name: string }[] };
  };
  assert.equal(dashboard.uid, null);
  for (const { type, datasource } of dashboard.panels)
    if (type !== "row") assert.equal(datasource?.uid, "${" + "datasource}");
});

const token = "a-token-of-a-viewer-0123456789abcdef";

test("[MT10] objects=1 has a series an object, for a viewer, and promtool has no complaint about any metric", async (t) => {
  const auth = join(tempFolder(t), "auth.cue");
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: v: {role: "viewer", token_hash: "sha256:${digest}"}\n`);
  const nats = await startNats(t);
  const passive = `{type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
  const config = `hosts: "web \\"1\\"": {address: "a", check: ${passive}, services: http: check: ${passive}}
processes: shop: rule: ref: "web \\"1\\"!http"
datasources: own: {type: "local", default: true}
`;
  const flags = { "nats-url": nats.url };
  const agent = await startTestAgent(t, { config, realm: "fra", flags });
  const guarded = await startTestAgent(t, { config, flags: { "auth-config": auth } });
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const object = { service: { host: `web "1"`, name: "http" } };
  await sendCommand(agent.base, "ProcessCheckResult", {
    object,
    status: "STATUS_CRITICAL",
    output: "x",
    perfdata: "time=1s",
  });
  const line = `realmwatch_object_status{realm="fra",kind="service",host="web \\"1\\"",service="http"} 2`;
  for (const { base } of [agent, centre]) {
    const text = await until("the object is critical", async () => {
      const answer = await fetch(`${base}/metrics?objects=1`);
      const body = await answer.text();
      return body.includes(line) && body;
    });
    assert.match(text, /\nrealmwatch_object_handled\{realm="fra",kind="process",process="shop"\} 0\n/);
    assert.doesNotMatch(await (await fetch(`${base}/metrics`)).text(), /realmwatch_object_|web/);
    if (skip !== false) continue;
    const { status, output } = promtool(["check", "metrics"], text);
    assert.deepEqual([status, output], [0, ""]);
  }
  const statusOf = async (path: string, headers: Record<string, string> = {}): Promise<number> =>
    (await fetch(`${guarded.base}${path}`, { headers })).status;
  assert.equal(await statusOf("/metrics"), 200);
  assert.equal(await statusOf("/metrics?objects=1"), 401);
  assert.equal(await statusOf("/metrics?objects=1", { authorization: "Bearer wrong" }), 401);
  assert.equal(await statusOf("/metrics?objects=1", { authorization: `Bearer ${token}` }), 200);
});
