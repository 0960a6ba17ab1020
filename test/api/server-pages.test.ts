import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type DependencyStatus, metricsPage, readyPage, verdictPage } from "@realmwatch/shared/api/probe-pages";
import { countRpcs } from "@realmwatch/shared/api/rpc/rpc-metrics";
import { loadStaticFiles, openSite } from "@realmwatch/shared/platform/http/static-files";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { callRaw, grpcFrame } from "./raw-call.ts";
import { exchangeRaw, statusLines } from "./raw-connection.ts";
import { openTestServer } from "./test-server.ts";

const script = `export const answer = 42; // ${"long ".repeat(500)}`;

async function openPages(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), "server-pages-"));
  atEnd(t, () => rm(dir, { recursive: true }));
  await mkdir(join(dir, "assets"));
  await mkdir(join(dir, ".git"));
  await writeFile(join(dir, "index.html"), "<!doctype html><title>Realmwatch</title>");
  await writeFile(join(dir, "assets/app-B0a8rT5x.js"), script);
  await writeFile(join(dir, "favicon.svg"), "<svg/>");
  await writeFile(join(dir, ".git/config"), "c4nary");
  await writeFile(join(dir, "..secret"), "c4nary");
  await symlink("/etc/passwd", join(dir, "passwd"));
  const files = await loadStaticFiles(dir);
  assert.ok(files.ok, JSON.stringify(files));
  const state = { alive: undefined as string | undefined, dependencies: [] as DependencyStatus[] };
  const metrics = openMetrics({ version: "dev", commit: "unknown" });
  atEnd(t, () => metrics.close());
  const boom = () => Promise.reject(new Error("a bug with a c4nary"));
  const pages = new Map([
    ["/healthz", verdictPage("ok", () => state.alive)],
    ["/readyz", readyPage(() => state.dependencies)],
    ["/metrics", metricsPage(metrics, systemClock)],
    ["/boom", boom],
  ]);
  const opened = await openTestServer(t, { files: files.value, pages, rpc: { onComplete: countRpcs(metrics) } });
  return { ...opened, state };
}

test("[IN11] no path leads to a file that was not loaded", async (t) => {
  const { port } = await openPages(t);
  const paths = [
    "/../etc/passwd",
    "/assets/../../etc/passwd",
    "/%2e%2e%2fetc/passwd",
    "/..%5c..%5cetc",
    "/%00",
    "//etc/passwd",
    "/etc/passwd",
    "http://evil/metrics",
    "/.git/config",
    "/..secret",
    "/passwd",
    "/index.html",
    "/INDEX.HTML",
    "/assets/",
    "/assets/APP-B0a8rT5x.js",
    "/constructor",
    `/${"a".repeat(8_000)}`,
    "*",
  ];
  for (const path of paths) {
    const answer = await exchangeRaw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.match(answer, /^HTTP\/1\.1 40[04]/, path);
    assert.doesNotMatch(answer, /c4nary|root:/, path);
  }
});

test("routes of the application return its page, hashed assets never expire, and both are compressed if smaller", async (t) => {
  const { base } = await openPages(t);
  for (const path of [
    "/",
    "/o/berlin/web1/http",
    "/o/berlin/C%3A%5C",
    "/realms?x=1",
    "/login",
    "/history",
    "/objects",
    "/overview",
    "/views/web%20servers",
  ]) {
    const response = await fetch(base + path);
    assert.deepEqual([response.status, response.headers.get("cache-control")], [200, "no-cache"], path);
    assert.equal(response.headers.get("content-type"), "text/html; charset=utf-8");
    assert.match(await response.text(), /Realmwatch/);
  }
  const asset = await fetch(`${base}/assets/app-B0a8rT5x.js`);
  assert.equal(asset.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.deepEqual([asset.headers.get("content-encoding"), asset.headers.get("vary")], ["gzip", "accept-encoding"]);
  assert.equal(await asset.text(), script);
  const plain = await fetch(`${base}/assets/app-B0a8rT5x.js`, { headers: { "accept-encoding": "identity" } });
  assert.deepEqual([plain.headers.get("content-encoding"), await plain.text()], [null, script]);
  const again = await fetch(`${base}/`, {
    headers: { "if-none-match": (await fetch(base)).headers.get("etag") ?? "" },
  });
  assert.deepEqual([again.status, await again.text()], [304, ""]);
  const head = await fetch(`${base}/favicon.svg`, { method: "HEAD" });
  assert.deepEqual([head.status, head.headers.get("content-length"), await head.text()], [200, "6", ""]);
});

test("[IN8] every response has the security headers", async (t) => {
  const { base } = await openPages(t);
  const rpc = { method: "POST", headers: { "content-type": "application/json" }, body: "{}" };
  const answers = [
    await fetch(`${base}/`),
    await fetch(`${base}/nope`),
    await fetch(`${base}/metrics`),
    await fetch(`${base}/svc.v1.QueryService/GetServerInfo`, rpc),
  ];
  for (const { headers, url } of answers) {
    const policy = headers.get("content-security-policy") ?? "";
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "base-uri 'none'"])
      assert.ok(policy.split("; ").includes(part), `${url}: ${part}`);
    assert.doesNotMatch(policy, /unsafe/);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("cross-origin-opener-policy"), "same-origin");
    assert.equal(headers.get("access-control-allow-origin"), null);
  }
  assert.equal(answers.at(-1)?.headers.get("cache-control"), "no-store");
});

test("[IN8] only reads answer GET, and none the content types that a form of another site can send", async (t) => {
  const { base, searched } = await openPages(t);
  const path = `${base}/svc.v1.QueryService/ListStatus`;
  const command = `${base}/svc.v1.CommandService/ScheduleCheck`;
  const query = "?connect=v1&encoding=json&message=%7B%7D";
  for (const method of ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]) {
    for (const url of method === "GET" ? [command] : [command, path]) {
      const response = await fetch(url + query, { method });
      assert.equal(response.status, 405, `${method} ${url}`);
      assert.equal(response.headers.get("access-control-allow-origin"), null);
    }
  }
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
    const response = await fetch(path, { method: "POST", headers: { "content-type": type }, body: "{}" });
    assert.equal(response.status, 415, type);
  }
  assert.equal(
    (await fetch(path, { method: "POST", headers: { origin: "https://evil.example" }, body: new Uint8Array() })).status,
    415,
  );
  assert.deepEqual(searched, []);
});

test("[PT19] a response 405 lists the methods of this RPC, or those of pages and files, over HTTP/2 too", async (t) => {
  const { base } = await openPages(t);
  const refused: readonly (readonly [path: string, allowed: string, methods: readonly string[]])[] = [
    ["/svc.v1.CommandService/ScheduleCheck", "POST", ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]],
    ["/svc.v1.QueryService/ListStatus", "POST, GET", ["HEAD", "OPTIONS", "PUT", "DELETE"]],
    ...["/", "/objects", "/favicon.svg", "/healthz", "/metrics"].map(
      (path) => [path, "GET, HEAD", ["POST", "OPTIONS", "PUT", "DELETE"]] as const,
    ),
  ];
  const session = connect(base);
  atEnd(t, () => session.destroy());
  for (const [path, allowed, methods] of refused)
    for (const method of methods) {
      const { status, headers } = await fetch(base + path, { method });
      assert.deepEqual([status, headers.get("allow")], [405, allowed], `${method} ${path}`);
      const stream = session.request({ ":method": method, ":path": path });
      const [head] = await once(stream.end().resume(), "response");
      assert.deepEqual([head[":status"], head["allow"]], [405, allowed], `HTTP/2 ${method} ${path}`);
    }
  const unknown = await fetch(`${base}/nope`, { method: "POST" });
  assert.deepEqual([unknown.status, unknown.headers.get("allow")], [404, null]);
  assert.equal((await fetch(`${base}/`)).headers.get("allow"), null);
});

test("[PT31] an unknown address is 404: for a browser with the application's page, else with a line of text", async (t) => {
  const { base } = await openPages(t);
  const open = (path: string, accept: string, method = "GET") => fetch(base + path, { method, headers: { accept } });
  const app = await (await fetch(`${base}/`)).text();
  const shown = await open("/nope/at/all", "text/html,application/xhtml+xml,*/*;q=0.8");
  const { headers } = shown;
  assert.deepEqual(
    [shown.status, headers.get("content-type"), await shown.text()],
    [404, "text/html; charset=utf-8", app],
  );
  assert.deepEqual([headers.get("cache-control"), headers.get("etag")], ["no-store", null]);
  for (const [accept, method] of [
    ["*/*", "GET"],
    ["application/json", "GET"],
    ["text/html", "POST"],
  ] as const) {
    const plain = await open("/nope", accept, method);
    assert.deepEqual([plain.status, await plain.text()], [404, "not found\n"], `${method} ${accept}`);
  }
  assert.equal((await open("/nope", "text/html", "HEAD")).status, 404);
});

test("[PT3] unmounted services and unknown methods are 404, and by gRPC unimplemented in trailers", async (t) => {
  const { base } = await openPages(t);
  for (const path of [
    "/svc.v1.RealmCommandService/AddComment",
    "/svc.v1.QueryService/Nope",
    "/svc.v1.QueryService",
    "/api",
  ]) {
    for (const type of ["application/json", "application/proto", "application/grpc-web+proto", "application/grpc"])
      for (const method of ["POST", "GET", "HEAD", "OPTIONS"]) {
        if (method === "POST" && type.startsWith("application/grpc")) continue;
        const body = method === "POST" ? { body: "{}" } : {};
        const response = await fetch(base + path, { method, headers: { "content-type": type }, ...body });
        assert.equal(response.status, 404, `${method} ${path} ${type}`);
      }
    for (const protocol of ["grpc", "grpc-web"] as const) {
      const answer = await callRaw(base, path, { protocol, body: Buffer.from(grpcFrame(new Uint8Array())) });
      assert.deepEqual([answer.status, answer.code], [200, "unimplemented"], `${protocol} ${path}`);
    }
  }
});

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

test("a page that throws returns 500 without the error's text, and the error is reported", async (t) => {
  const { base, faults } = await openPages(t);
  const response = await fetch(`${base}/boom`);
  assert.deepEqual([response.status, await response.text()], [500, "internal error\n"]);
  assert.equal(faults.length, 1);
});

test("pages are served over HTTP/2 and HTTP/1.0", async (t) => {
  const { base, port } = await openPages(t);
  const session = connect(base);
  const stream = session.request({ ":path": "/healthz" });
  let [status, text] = [0, ""];
  stream.on("response", (head) => {
    status = Number(head[":status"]);
  });
  stream.on("data", (chunk) => {
    text += chunk;
  });
  await new Promise((resolve) => stream.once("close", resolve));
  session.destroy();
  assert.deepEqual([status, text], [200, "ok\n"]);
  assert.deepEqual(statusLines(await exchangeRaw(port, "GET /healthz HTTP/1.0\r\n\r\n")), ["HTTP/1.1 200"]);
});

test("a missing directory of files is reported in one line", async () => {
  const files = await loadStaticFiles("/nonexistent/dashboard");
  assert.ok(!files.ok);
  assert.match(files.error, /^the files in "\/nonexistent\/dashboard" cannot be read: .*ENOENT/);
});

test("[PT45] a site's files are read when asked for, folders have a page and a slash, and a lost file is an error", async (t) => {
  const dir = await mkdtemp(join(tmpdir(), "site-"));
  atEnd(t, () => rm(dir, { recursive: true }));
  await mkdir(join(dir, "assets"));
  await writeFile(join(dir, "index.html"), "start");
  await writeFile(join(dir, "assets/app.B0a8rT5x.js"), script);
  await writeFile(join(dir, "assets/@search.-7dJN5bI.js"), "index");
  await writeFile(join(dir, "lost.html"), "c4nary");
  await symlink("/etc/passwd", join(dir, "passwd"));
  const files = await openSite(dir, { at: "/docs", policy: "default-src 'none'" });
  const { base, faults } = await openTestServer(t, { files, pages: new Map() });
  const start = await fetch(`${base}/docs/`);
  assert.deepEqual([start.status, await start.text()], [200, "start"]);
  assert.equal(start.headers.get("content-security-policy"), "default-src 'none'");
  const etag = start.headers.get("etag") ?? "";
  assert.equal((await fetch(`${base}/docs/`, { headers: { "if-none-match": etag } })).status, 304);
  const bare = await fetch(`${base}/docs`, { redirect: "manual" });
  assert.deepEqual([bare.status, bare.headers.get("location")], [301, "/docs/"]);
  assert.equal(await (await fetch(`${base}/docs/assets/@search.-7dJN5bI.js`)).text(), "index");
  const asset = await fetch(`${base}/docs/assets/app.B0a8rT5x.js`);
  assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
  for (const path of ["/docs/passwd", "/docs/../etc/passwd", "/docs/nope.html"])
    assert.equal((await fetch(base + path)).status, 404, path);
  await rm(join(dir, "lost.html"));
  assert.equal((await fetch(`${base}/docs/lost.html`)).status, 500);
  assert.equal(faults.length, 1);
  assert.equal((await openSite("/nonexistent/docs", { at: "/docs", policy: "" })).size, 0);
});
