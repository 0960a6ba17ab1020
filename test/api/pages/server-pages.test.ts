import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { callRaw, grpcFrame } from "../raw-call.ts";
import { exchangeRaw, statusLines } from "../raw-connection.ts";
import { openPages, script } from "./open-pages.ts";

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
