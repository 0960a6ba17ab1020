import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setDefaultCACertificates } from "node:tls";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { makeTlsCertificates } from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { read } from "../architecture/sources.ts";
import { call } from "../run/call.ts";
import {
  startNats,
  startRedis,
  startTcpTarget,
  startTestAgent,
  startTestAggregator,
  startTestWorker,
  tempFolder,
} from "../run/processes.ts";
import { hostTarget } from "../run/rows.ts";
import { isInstalled } from "../run/sink-receivers.ts";
import { smallRealm } from "../run/small-realm.ts";
import { selfMetrics } from "./self-metrics.ts";

type Metric = { readonly type: string; readonly meaning: string; readonly labels: ReadonlySet<string> };
type Metrics = ReadonlyMap<string, Metric>;

/** Metrics of the reference page under the given headings. */
function documentedUnder(...headings: readonly string[]): Metrics {
  const sections = read("docs/reference/metrics.md").text.split(/^## /m);
  const found = new Map<string, Metric>();
  for (const section of sections.filter((text) => headings.includes(text.split("\n", 1)[0] ?? "")))
    for (const [, name = "", type = "", labels = "", meaning = ""] of section.matchAll(
      /^\| `(\w+)` \| (\w+) \| ([^|]*) \| ([^|]*) \|/gm,
    ))
      found.set(name, {
        type,
        meaning,
        labels: new Set([...labels.matchAll(/`(\w+)`/g)].map((match) => match[1] as string)),
      });
  return found;
}

/** True for metrics of Node.js and the process, which the metrics library defines. */
const isOfRuntime = (name: string): boolean => /^realmwatch_(process|nodejs)_/.test(name);
/** Labels of the Prometheus format itself. */
const formatLabels = new Set(["le"]);

/** Metrics that a program serves, with the labels of its samples. */
async function servedBy(base: string): Promise<Metrics> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const found = new Map<string, { type: string; meaning: string; labels: Set<string> }>();
  let last = { type: "", meaning: "", labels: new Set<string>() };
  for (const line of text.split("\n")) {
    const [, word, name = "", rest = ""] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
    if (word === "HELP") {
      last = { type: "", meaning: rest, labels: new Set() };
      if (!isOfRuntime(name)) found.set(name, last);
    } else if (word === "TYPE") last.type = rest;
    const [, labels = ""] = /^\w+\{(.*)\} \S+$/.exec(line) ?? [];
    for (const [, label = ""] of labels.matchAll(/(\w+)="/g)) if (!formatLabels.has(label)) last.labels.add(label);
  }
  return found;
}

function assertDocumented(served: Metrics, documented: Metrics): void {
  assert.deepEqual([...documented.keys()].sort(), [...served.keys()].sort());
  for (const [name, { type, meaning, labels }] of served) {
    const known = documented.get(name);
    assert.deepEqual([known?.type, known?.meaning], [type, meaning], name);
    // A metric without samples has no labels.
    if (labels.size > 0) assert.deepEqual([...(known?.labels ?? [])].sort(), [...labels].sort(), `labels of ${name}`);
  }
}

/** Starts every program with all features that have metrics, and lets each do some work. */
async function startPrograms(scope: TestScope) {
  const [nats, redis, target] = await Promise.all([startNats(scope), startRedis(scope), startTcpTarget(scope)]);
  const folder = tempFolder(scope);
  const flags = { "nats-url": nats.url };
  const more = `contacts: ann: {type: "webhook", url: "http://127.0.0.1:9/"}
notifications: ops: levels: [{contacts: ["ann"]}]
hosts: web1: notification: "ops"
hosts: far: {address: "127.0.0.1", zone: "far", check: {type: "tcp", address: "${target.address}", check_interval: "1s", retry_interval: "1s", flap: {}}}`;
  const agent = await startTestAgent(scope, {
    config: smallRealm(target.address, more),
    realm: "fra",
    flags: {
      ...flags,
      "insecure-worker": true,
      "command-file": join(folder, "commands"),
      "snapshot-out": join(folder, "snapshot.json"),
    },
  });
  const [worker, centre] = await Promise.all([
    startTestWorker(scope, { ...flags, "insecure-worker": true, realm: "fra", zones: "far" }),
    startTestAggregator(scope, {
      realms: `realms: fra: {url: "${agent.base}"}\n`,
      flags: { ...flags, "redis-url": redis.url },
    }),
  ]);
  await until("a command is forwarded", async () => {
    const request = { realm: "fra", request: { target: hostTarget("web1") } };
    return (await call(centre.base, "RealmCommandService/ScheduleCheck", request)).ok;
  });
  await target.close();
  const hasSamples = async (base: string, name: string): Promise<boolean> =>
    ((await servedBy(base)).get(`realmwatch_${name}`)?.labels.size ?? 0) > 0;
  await until("a delivery fails", () => hasSamples(agent.base, "contact_failing"));
  await until("a worker has run a check", () => hasSamples(worker.base, "checks_total"));
  await until("the aggregator has received records", () => hasSamples(centre.base, "ingest_records_total"));
  return { agent, worker, centre };
}

/** Metrics in the form of the list of required ones, by name. */
const written = (metrics: Metrics): ReadonlyMap<string, string> =>
  new Map(
    [...metrics].map(([name, { type, labels }]) => {
      const short = name.replace(/^realmwatch_/, "");
      return [short, `${type} ${short}${labels.size === 0 ? "" : `{${[...labels].sort().join(",")}}`}`];
    }),
  );

/** Compares required metrics with those of a program. A metric without samples has its labels on the page only. */
function assertRequired(program: "agent" | "aggregator", served: Metrics, documented: Metrics): void {
  const [page, live] = [written(documented), written(served)];
  for (const required of selfMetrics[program]) {
    const [, type = "", name = "", labels = ""] = /^(\w+) (\w+)(?:\{(.*)\})?$/.exec(required) ?? [];
    const sorted = labels === "" ? "" : `{${labels.split(",").sort().join(",")}}`;
    const expected = `${type} ${name}${sorted}`;
    assert.equal(page.get(name), expected);
    const isSampled = (served.get(`realmwatch_${name}`)?.labels.size ?? 0) > 0;
    assert.equal(live.get(name), isSampled ? expected : `${type} ${name}`);
  }
}

test("docs/reference/metrics.md documents every metric of every program", async (t) => {
  const { agent, worker, centre } = await startPrograms(t);
  const [all, both] = ["Every program", "Agent and aggregator"];
  await t.test("an agent", async () =>
    assertDocumented(await servedBy(agent.base), documentedUnder(all, both, "Agent")),
  );
  await t.test("a worker", async () =>
    assertDocumented(await servedBy(worker.base), documentedUnder(all, "Agent as a worker")),
  );
  await t.test("a worker with a certificate", async (t) => {
    const { ca, server } = makeTlsCertificates(t);
    setDefaultCACertificates([readFileSync(ca, "utf8")]);
    const flags = { "nats-url": "nats://127.0.0.1:1", "tls-cert": server.cert, "tls-key": server.key };
    const { base } = await startTestWorker(t, flags);
    assertDocumented(await servedBy(base), documentedUnder(all, "Certificate of the port", "Agent as a worker"));
  });
  await t.test("an aggregator", async () =>
    assertDocumented(await servedBy(centre.base), documentedUnder(all, both, "Aggregator")),
  );
  await t.test("[ME1] every required metric has its name, type and labels", async () => {
    assertRequired("agent", await servedBy(agent.base), documentedUnder(all, both, "Agent"));
    assertRequired("aggregator", await servedBy(centre.base), documentedUnder(all, both, "Aggregator"));
  });
  await t.test("[ME2] every program serves metrics of its process", async () => {
    for (const { base } of [agent, worker, centre]) {
      const text = await (await fetch(`${base}/metrics`)).text();
      for (const name of ["process_resident_memory_bytes", "process_open_fds", "nodejs_eventloop_lag_seconds"])
        assert.match(text, new RegExp(`^realmwatch_${name} [0-9.e-]+$`, "m"));
      if (!isInstalled("promtool")) continue;
      const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: text, encoding: "utf8" });
      assert.deepEqual([status, stdout + stderr], [0, ""]);
    }
  });
});
