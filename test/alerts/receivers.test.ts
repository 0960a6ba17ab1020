import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { outputOf } from "../run/cli.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { type JsonRow, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { isInstalled, promValue, startHttp, startPrometheus } from "../run/sink-receivers.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const hosts = `hosts: {
	web1: {
		address: "192.0.2.1"
		${passive}
		services: {
			DiskFull: {${passive}}
			slow: check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {enabled: false}}
		}
	}
	"web2.example.org": {address: "192.0.2.2", ${passive}}
}
processes: web1: rule: ref: "web1"
`;
const toService = `receivers: prom: {type: "alertmanager", host: "node", service: "alertname"}\n`;
const token = "a-senders-token-0123456789abcdef";
const hashOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

type Post = { readonly path?: string; readonly headers?: Readonly<Record<string, string>> };

/** Sends a body to a receiver. */
async function post(
  { base }: Pick<TestProgram, "base">,
  body: string | Uint8Array<ArrayBuffer> | object,
  { path = "/api/v2/alerts", headers = {} }: Post = {},
): Promise<{ readonly status: number; readonly text: string; readonly headers: Headers }> {
  const response = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

const inMinutes = (minutes: number): string => new Date(Date.now() + minutes * 60_000).toISOString();
const alertOf = (labels: object, more: object = {}): object => ({ labels, endsAt: inMinutes(10), ...more });
const diskFull = { alertname: "DiskFull", node: "web1", severity: "critical" };

const rowOf = async (agent: TestProgram, ref: string): Promise<JsonRow & { readonly longOutput?: string }> => {
  const row = (await statusRows(agent.base))[ref];
  assert.ok(row, ref);
  return row;
};
const becomes = (agent: TestProgram, ref: string, status: string): Promise<JsonRow> =>
  until(`${ref} is ${status}`, async () => {
    const row = await rowOf(agent, ref);
    return row.status === `STATUS_${status}` ? row : undefined;
  });

/** Value of a metric with its labels; 0 when it is not served. */
async function metric({ base }: TestProgram, series: string): Promise<number> {
  const lines = (await (await fetch(`${base}/metrics`)).text()).split("\n");
  return Number(lines.find((line) => line.startsWith(`${series} `))?.split(" ")[1] ?? 0);
}

const skip = isInstalled("prometheus") ? false : "needs prometheus";

test("[AR1, AR2, AR6] a Prometheus: its rule fires, ends, fires again, and the Prometheus dies", {
  skip,
}, async (t) => {
  const agent = await startTestAgent(t, { config: hosts + toService });
  let value = 0;
  const target = await startHttp(t, (_, response) => response.end(`disk_full{node="web1"} ${value}\n`));
  const rules = tempFolder(t, "rules");
  writeFileSync(
    join(rules, "rules.yml"),
    `groups:
- name: disks
  rules:
  - alert: DiskFull
    expr: disk_full == 1
    labels: {severity: page}
    annotations: {summary: "the disk of {{ $labels.node }} is full"}
`,
  );
  const prometheus = await startPrometheus(t, ["--rules.alert.resend-delay=1s"], {
    "prometheus.yml": `global: {scrape_interval: 200ms, scrape_timeout: 200ms, evaluation_interval: 200ms}
rule_files: ["${rules}/rules.yml"]
alerting: {alertmanagers: [{static_configs: [{targets: ["127.0.0.1:${agent.port}"]}]}]}
scrape_configs: [{job_name: disks, static_configs: [{targets: ["${target.slice("http://".length)}"]}]}]
`,
  });
  await until("it scrapes", async () => (await promValue(prometheus.url, "disk_full")) === 0);
  assert.equal((await rowOf(agent, "web1!DiskFull")).status, "STATUS_PENDING");
  value = 1;
  const full = await becomes(agent, "web1!DiskFull", "CRITICAL");
  assert.equal(full.output, "the disk of web1 is full");
  value = 0;
  await becomes(agent, "web1!DiskFull", "OK");
  value = 1;
  await becomes(agent, "web1!DiskFull", "CRITICAL");
  await prometheus.stop("SIGKILL");
  await becomes(agent, "web1!DiskFull", "OK");
  assert.equal(await metric(agent, "realmwatch_alerts_unmapped_total"), 0);
});

test("[AR2, AR3, AR4] alerts become results of hosts and services, and count as attempts", async (t) => {
  const templates = `receivers: prom: {
	type: "alertmanager", host: "{{ node }}.{{domain}}"
	severity: {label: "priority", critical: ["P1"], warning: ["P2"]}
}`;
  const agent = await startTestAgent(t, { config: hosts + toService });
  const slow = { alertname: "slow", node: "web1", severity: "warning" };
  const annotations = { description: "first line\nsecond line" };
  for (const attempt of [1, 2, 3]) {
    assert.deepEqual((await post(agent, [alertOf(slow, { annotations })])).status, 200);
    await until(`attempt ${attempt}`, async () => (await rowOf(agent, "web1!slow")).attempt === attempt);
  }
  const row = await rowOf(agent, "web1!slow");
  assert.deepEqual([row.status, row.stateType, row.output], ["STATUS_WARNING", "STATE_TYPE_HARD", "first line"]);
  assert.equal(row.longOutput, 'second line\nalertname="slow"\nnode="web1"\nseverity="warning"');
  assert.equal((await post(agent, [alertOf({ ...diskFull, severity: "info" })])).status, 200);
  const unknown = await becomes(agent, "web1!DiskFull", "UNKNOWN");
  assert.equal(unknown.output, "DiskFull");

  const other = await startTestAgent(t, { config: hosts + templates });
  const node = { node: "web2", domain: "example.org", priority: "P1" };
  assert.equal((await post(other, [alertOf(node)])).status, 200);
  await becomes(other, "web2.example.org", "CRITICAL");
});

test("[AR3, AR8, AR18] alerts of no object are counted, listed, logged once a label set and answered with 200", async (t) => {
  const toHost = `receivers: prom: {type: "alertmanager", host: "node"}\n`;
  const agent = await startTestAgent(t, { config: hosts + toHost });
  const strange = ["web9", "", "process:web1", "web1!DiskFull"].map((node) => alertOf({ alertname: "Odd", node }));
  for (const _ of [1, 2])
    assert.deepEqual(
      [await post(agent, [...strange, alertOf({ alertname: "Odd" })])].map(({ status, text }) => [status, text]),
      [[200, ""]],
    );
  assert.equal(await metric(agent, "realmwatch_alerts_unmapped_total"), 10);
  assert.equal(await metric(agent, 'realmwatch_alert_requests_total{outcome="accepted"}'), 2);
  // An empty label counts as missing: of the five alerts, two have the same labels.
  assert.equal(agent.output().match(/an alert is about no object/g)?.length, 4);
  assert.match(agent.output(), /"node":"web9"/);
  const { body } = await call(agent.base, "QueryService/GetServerInfo");
  const listed = body["unmappedAlerts"] as { receiver: string; labels: Record<string, string>; count: number }[];
  assert.deepEqual(
    listed.map(({ receiver, labels, count }) => [receiver, labels["node"], count]),
    [
      ["prom", undefined, 4],
      ["prom", "web1!DiskFull", 2],
      ["prom", "process:web1", 2],
      ["prom", "web9", 2],
    ],
  );
  const status = await outputOf(["status"], { REALMWATCH_SERVER: agent.base, NO_COLOR: "1" });
  assert.match(
    status,
    /^an alert of receiver prom is about no object, last seen \d+s ago: alertname=Odd, and 3 others$/m,
  );
  assert.ok(Object.values(await statusRows(agent.base)).every(({ status }) => status === "STATUS_PENDING"));
});

test("[AR10] broken input has clear answers, and the valid alerts of a request are taken", async (t) => {
  const agent = await startTestAgent(t, { config: hosts + toService });
  const good = alertOf(diskFull);
  const cases: [body: string | object, status: number, text: RegExp][] = [
    ["{", 400, /is not JSON/],
    ["", 400, /is not JSON/],
    [{ alerts: [good] }, 400, /is not a list of alerts/],
    [
      Array.from({ length: 10_001 }, () => 0),
      429,
      /^{"code":"resource_exhausted","message":"the body has 10001 alerts; at most 10000 are taken"}$/,
    ],
    [`[{"labels":{"a":[${"0,".repeat(250_000)}0]}}]`, 413, /more than 250000 values/],
    [[null], 400, /alerts\[0\] is not an object/],
    [[{}], 400, /alerts\[0\]\.labels is missing/],
    [[{ labels: { a: "" } }], 400, /alerts\[0\]\.labels has no label with a value/],
    [[{ labels: { a: 1 } }], 400, /alerts\[0\]\.labels: \\"a\\" is not a string/],
    [[{ labels: diskFull, annotations: [] }], 400, /alerts\[0\]\.annotations is not an object/],
    [[{ labels: diskFull, endsAt: "tomorrow" }], 400, /alerts\[0\]\.endsAt is not a time/],
    [[{ labels: diskFull, startsAt: 5 }], 400, /alerts\[0\]\.startsAt is not a time/],
    [[{ ...good, startsAt: inMinutes(20) }], 400, /alerts\[0\]\.endsAt is before startsAt/],
    [`["${"x".repeat(4 * 2 ** 20)}"]`, 413, /larger than 4194304 bytes/],
    [[], 200, /^$/],
  ];
  for (const [body, status, text] of cases) {
    const answer = await post(agent, body);
    assert.equal(answer.status, status, answer.text);
    assert.match(answer.text, text);
  }
  assert.equal((await post(agent, "[]", { headers: { "content-encoding": "zstd" } })).status, 415);
  const mixed = await post(agent, [{ labels: 5 }, good, { labels: diskFull, endsAt: "no" }]);
  assert.deepEqual([mixed.status, /alerts\[0\].*; alerts\[2\]/.test(mixed.text)], [400, true], mixed.text);
  await becomes(agent, "web1!DiskFull", "CRITICAL");
  const zipped = new Uint8Array(gzipSync(JSON.stringify([{ ...good, endsAt: inMinutes(-1) }])));
  assert.equal((await post(agent, zipped, { headers: { "content-encoding": "gzip" } })).status, 200);
  await becomes(agent, "web1!DiskFull", "OK");
});

async function startGuarded(scope: TestScope, receivers: string): Promise<TestProgram> {
  const auth = join(tempFolder(scope), "auth.cue");
  writeFileSync(auth, `auth: ann: {role: "admin", token_hash: "${hashOf("an-admins-token-0123456789abcdef")}"}\n`);
  return startTestAgent(scope, { config: hosts + receivers, flags: { "auth-config": auth } });
}
const bearer = (text: string) => ({ headers: { authorization: `Bearer ${text}` } });
const receiverOf = (name: string, more = ""): string =>
  `receivers: ${name}: {type: "alertmanager", host: "node", service: "alertname"${more}}\n`;

test("[AR7, AR11] with authentication a request needs the receiver's token, and has one audit record", async (t) => {
  const receivers = receiverOf("prom", `, token_hash: "${hashOf(token)}"`) + receiverOf("open");
  const agent = await startGuarded(t, receivers);
  const path = "/receivers/prom/api/v2/alerts";
  const alerts = [alertOf(diskFull)];
  for (const headers of [{}, bearer("wrong").headers, bearer("an-admins-token-0123456789abcdef").headers]) {
    const answer = await post(agent, alerts, { path, headers });
    assert.deepEqual([answer.status, answer.headers.get("www-authenticate")], [401, 'Bearer realm="realmwatch"']);
  }
  const without = await post(agent, alerts, { path: "/receivers/open/api/v2/alerts", ...bearer(token) });
  assert.deepEqual([without.status, without.text], [401, '"the receiver open has no token_hash"']);
  assert.equal((await post(agent, alerts, { path, ...bearer(token) })).status, 200);
  assert.equal((await post(agent, "{", { path, ...bearer(token) })).status, 400);
  const admin = { authorization: "Bearer an-admins-token-0123456789abcdef" };
  const seen = await until("all requests are audited", async () => {
    const answer = await call(agent.base, "AdminService/ListAuditRecords", {}, admin);
    const records = (answer.body["records"] ?? []) as Record<string, string | { name: string }>[];
    return records.length === 6 ? records : undefined;
  });
  const outcomes = seen.map(({ outcome }) => String(outcome).replace("AUDIT_OUTCOME_", "")).sort();
  assert.deepEqual(outcomes, ["ACCEPTED", "DENIED", "DENIED", "DENIED", "DENIED", "REJECTED"]);
  const accepted = seen.find(({ outcome }) => outcome === "AUDIT_OUTCOME_ACCEPTED");
  assert.deepEqual(
    [accepted?.["rpc"], accepted?.["principal"]],
    [path, { name: "receiver prom", role: "ROLE_OPERATOR" }],
  );
  assert.match(String(accepted?.["commandJson"]), /"receiver":"prom","alerts":\[\{"labels":\{"alertname":"DiskFull"/);
  assert.doesNotMatch(JSON.stringify(seen) + agent.output(), new RegExp(`${token}|${hashOf(token)}`));

  const shared = await startTestAgent(t, { config: hosts + toService, flags: { "api-token": token } });
  assert.equal((await post(shared, alerts, bearer(token))).status, 401);
  const browser = await startTestAgent(t, { config: hosts + toService });
  assert.equal((await post(browser, alerts, { headers: { origin: browser.base } })).status, 403);
});

test("[AR1, AR12] paths with one receiver, several and none, after a reload, and of a read-only agent", async (t) => {
  const config = join(tempFolder(t), "config.cue");
  writeFileSync(config, hosts);
  const agent = await startTestAgent(t, { config });
  const alerts = [alertOf(diskFull)];
  const paths = ["/api/v2/alerts", "/receivers/prom/api/v2/alerts", "/receivers/two/api/v2/alerts"];
  const statuses = (): Promise<number[]> =>
    Promise.all(paths.map(async (path) => (await post(agent, alerts, { path })).status));
  const reload = async (receivers: string, expected: readonly number[]): Promise<void> => {
    writeFileSync(config, hosts + receivers);
    agent.signal("SIGHUP");
    await until(`the statuses are ${expected}`, async () => String(await statuses()) === String(expected));
  };
  assert.deepEqual(await statuses(), [404, 404, 404]);
  await reload(receiverOf("prom"), [200, 200, 404]);
  await becomes(agent, "web1!DiskFull", "CRITICAL");
  await reload(receiverOf("prom") + receiverOf("two"), [404, 200, 200]);
  assert.match((await post(agent, alerts)).text, /more than one receiver/);
  assert.equal((await fetch(`${agent.base}/receivers/prom/api/v2/alerts`, { method: "PUT" })).status, 404);
  // The same alert is about the host now.
  await reload(`receivers: prom: {type: "alertmanager", host: "node"}\n`, [200, 200, 404]);
  await becomes(agent, "web1", "CRITICAL");

  const readOnly = await startTestAgent(t, { config: hosts + toService, flags: { "read-only": true } });
  assert.equal((await post(readOnly, alerts)).status, 404);
});

test("[AR2, AR9] an answered alert survives kill -9, and so does the knowledge that it fires", async (t) => {
  const agent = await startTestAgent(t, { config: hosts + toService });
  const other = { ...diskFull, mount: "/home", severity: "warning" };
  const text = (summary: string) => ({ annotations: { summary } });
  assert.equal((await post(agent, [alertOf(diskFull, text("root")), alertOf(other, text("home"))])).status, 200);
  await agent.stop("SIGKILL");
  await agent.restart();
  assert.equal((await becomes(agent, "web1!DiskFull", "CRITICAL")).output, "root");
  assert.equal((await post(agent, [alertOf(diskFull, { endsAt: inMinutes(-1) })])).status, 200);
  assert.equal((await becomes(agent, "web1!DiskFull", "WARNING")).output, "home");
  assert.equal((await post(agent, [alertOf(other, { status: "resolved" })])).status, 200);
  await becomes(agent, "web1!DiskFull", "OK");
});

type ShownAlert = {
  readonly labels: Readonly<Record<string, string>>;
  readonly status: { readonly state: string; readonly silencedBy: readonly string[] };
};

test("[AR15, AR16, AR17] clients of an Alertmanager are told of health, status and the alerts that fire", async (t) => {
  const agent = await startTestAgent(t, { config: hosts + toService });
  const ask = async (path: string) => {
    const response = await fetch(`${agent.base}${path}`);
    return { status: response.status, text: await response.text() };
  };
  const listed = async (query: string): Promise<readonly ShownAlert[]> =>
    JSON.parse((await ask(`/api/v2/alerts${query}`)).text);
  const names = async (query: string) => (await listed(query)).map(({ labels }) => labels["alertname"]).join(" ");
  for (const path of ["/-/healthy", "/-/ready", "/receivers/prom/-/ready"])
    assert.deepEqual(await ask(path), { status: 200, text: "OK" });
  assert.equal(JSON.parse((await ask("/receivers/prom/api/v2/status")).text).cluster.status, "disabled");
  assert.deepEqual(await listed(""), []);
  const slow = { alertname: "slow", node: "web1" };
  assert.equal((await post(agent, [alertOf(diskFull), alertOf(slow)])).status, 200);
  await becomes(agent, "web1!DiskFull", "CRITICAL");
  const rows: [query: string, names: string][] = [
    ["", "DiskFull slow"],
    ["?filter=severity%3D%22critical%22", "DiskFull"],
    ["?filter=severity!%3Dcritical&filter=node%3Dweb1", "slow"],
    ["?active=false", ""],
    ["?silenced=false&inhibited=false", "DiskFull slow"],
  ];
  for (const [query, found] of rows) assert.equal(await names(query), found, query);
  assert.equal((await ask("/api/v2/alerts?filter=x%3D~y")).status, 400);
  await sendCommand(agent.base, "AcknowledgeProblem", {
    ...{ target: serviceTarget("web1", "DiskFull"), author: "ann", comment: "on it" },
  });
  await until("the alert is silenced", async () => (await names("?silenced=false")) === "slow");
  assert.equal((await post(agent, [alertOf(diskFull, { status: "resolved" })])).status, 200);
  assert.equal((await becomes(agent, "web1!DiskFull", "OK")).output, "resolved: DiskFull");
  assert.equal(await names(""), "slow");
});

test("[AR15] the alerts are told to those who may send some", async (t) => {
  const secret = `receivers: prom: {type: "alertmanager", host: "node", token_hash: "${hashOf(token)}"}\n`;
  const agent = await startTestAgent(t, {
    config: hosts + secret,
    flags: { "api-token": "an-operators-token-0123456789abcdef" },
  });
  const status = async (headers: Readonly<Record<string, string>>) =>
    (await fetch(`${agent.base}/api/v2/alerts`, { headers })).status;
  assert.equal(await status({}), 401);
  assert.equal(await status({ authorization: `Bearer ${token}` }), 200);
  assert.equal(await status({ authorization: `Bearer ${token}`, origin: "https://example.org" }), 403);
});

const skipAmtool = isInstalled("amtool") ? false : "needs amtool of prometheus-alertmanager";

test("[AR15, AR16] amtool adds an alert, finds it and reads the status", { skip: skipAmtool }, async (t) => {
  const agent = await startTestAgent(t, { config: hosts + toService });
  const amtool = (...args: string[]): string =>
    execFileSync("amtool", [`--alertmanager.url=${agent.base}`, ...args], { encoding: "utf8", timeout: 20_000 });
  amtool("alert", "add", "alertname=DiskFull", "node=web1", "--annotation=summary=full");
  assert.match(amtool("alert", "query", "node=web1"), /\nDiskFull .* full +active/);
  assert.doesNotMatch(amtool("alert", "query", "node=web2"), /DiskFull/);
  assert.match(amtool("cluster", "show"), /disabled/);
});
