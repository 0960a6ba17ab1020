import assert from "node:assert/strict";
import { test } from "node:test";
import { metricsPage } from "@realmwatch/shared/api/probe-pages";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openPages } from "./open-pages.ts";

test("/healthz reports the process; /readyz lists each dependency on its own line", async (t) => {
  const { base, state } = await openPages(t);
  const get = async (path: string) => {
    const response = await fetch(base + path);
    return { status: response.status, text: await response.text() };
  };
  assert.deepEqual(await get("/healthz"), { status: 200, text: "ok\n" });
  state.alive = "the engine stands still";
  assert.deepEqual(await get("/healthz"), { status: 503, text: "the engine stands still\n" });
  assert.deepEqual(
    [(await get("/readyz")).status, JSON.parse((await get("/readyz")).text)],
    [200, { ready: true, dependencies: {} }],
  );
  state.dependencies = [
    { name: "journal", ok: true, needed: true, detail: "" },
    { name: "nats", ok: false, needed: false, detail: "no answer" },
  ];
  const ready = await get("/readyz");
  assert.deepEqual([ready.status, JSON.parse(ready.text).ready], [200, true]);
  assert.equal(ready.text.split("\n").filter((line) => /"(journal|nats)": \{.*\},?$/.test(line)).length, 2);
  state.dependencies = [{ name: "journal", ok: false, needed: true, detail: "disk full" }];
  assert.deepEqual(
    [(await get("/readyz")).status, JSON.parse((await get("/readyz")).text).dependencies.journal.detail],
    [503, "disk full"],
  );
});

test("metrics count every call by code", async (t) => {
  const { base } = await openPages(t);
  const call = (rpc: string, body: string) =>
    fetch(`${base}/svc.v1.${rpc}`, { method: "POST", headers: { "content-type": "application/json" }, body });
  await call("QueryService/GetServerInfo", "{}");
  await call("QueryService/ListStatus", "{");
  await call("QueryService/ListStatus", '{"search":"boom"}');
  const text = await (await fetch(`${base}/metrics`)).text();
  const counted = (method: string, code: string) =>
    text.includes(`realmwatch_rpc_requests_total{service="svc.v1.QueryService",method="${method}",code="${code}"} 1`);
  assert.ok(counted("GetServerInfo", "ok"));
  assert.ok(counted("ListStatus", "invalid_argument"));
  assert.ok(counted("ListStatus", "internal"));
  assert.match(text, /realmwatch_rpc_duration_seconds_count\{service="svc\.v1\.QueryService",method="ListStatus"\} 2/);
});

test("[PT30] /metrics is rendered at most once a second, and requests meanwhile share the text", async () => {
  let [nowMs, rendered, objects] = [0, 0, 0];
  const finished = Promise.withResolvers<void>();
  const metrics = {
    ...openMetrics({ version: "dev", commit: "unknown" }),
    async render() {
      rendered += 1;
      await finished.promise;
      return { contentType: "text/plain", text: `${rendered}` };
    },
  };
  const render = async () => {
    objects += 1;
    return `objects ${objects}`;
  };
  const page = metricsPage(metrics, { monotonic: () => nowMs }, { render, refusal: async () => undefined });
  const get = async (query = "") => (await page({ query: new URLSearchParams(query), headers: {}, peer: "" })).body;
  const early = [get(), get()];
  nowMs = 5_000;
  early.push(get());
  finished.resolve();
  assert.deepEqual(await Promise.all(early), ["1", "1", "1"]);
  assert.deepEqual(await Promise.all([get("objects=1"), get("objects=1")]), ["2\nobjects 1", "2\nobjects 1"]);
  nowMs = 5_999;
  assert.deepEqual([await get(), await get("objects=1")], ["2", "2\nobjects 1"]);
  nowMs = 6_000;
  assert.deepEqual([await get(), await get("objects=1")], ["3", "3\nobjects 2"]);
  metrics.close();
});
