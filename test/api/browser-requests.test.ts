import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, toBinary } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { ListStatusRequestSchema, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { JsonSchema } from "@realmwatch/shared/api/openapi/json-schema";
import type { OpenApiDocument } from "@realmwatch/shared/api/openapi/openapi-document";
import { allowedHosts, hostName } from "@realmwatch/shared/platform/http/host-header";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { Validator } from "@seriousme/openapi-schema-validator";
import { exchangeRaw, statusLines } from "./raw-connection.ts";
import { openDescribed } from "./test-server.ts";

const listStatus = "/svc.v1.QueryService/ListStatus";
const asQuery = (values: Record<string, string>) => `?${new URLSearchParams({ connect: "v1", ...values })}`;

test("[PT1] a read answers Connect's GET in JSON and binary, compressed or not, over HTTP/1.1 and HTTP/2", async (t) => {
  const { base, searched } = await openDescribed(t);
  const binary = toBinary(ListStatusRequestSchema, create(ListStatusRequestSchema, { search: "grüße" }));
  const json = JSON.stringify({ search: "grüße" });
  const queries: Record<string, string>[] = [
    { encoding: "json", message: json },
    { encoding: "json", message: Buffer.from(json).toString("base64url"), base64: "1" },
    { encoding: "proto", message: Buffer.from(binary).toString("base64url"), base64: "1" },
    { encoding: "json", message: gzipSync(json).toString("base64url"), base64: "1", compression: "gzip" },
  ];
  for (const query of queries) {
    const response = await fetch(base + listStatus + asQuery(query));
    assert.equal(response.status, 200, JSON.stringify(query));
    assert.match(await response.text(), /grüße/);
  }
  assert.deepEqual(new Set(searched), new Set(["grüße"]));
  for (const httpVersion of ["1.1", "2"] as const) {
    const transport = createConnectTransport({ baseUrl: base, httpVersion, useHttpGet: true } as const);
    assert.equal((await createClient(QueryService, transport).listStatus({ search: "get" })).nextPageToken, "get");
  }
});

test("[PT1] an invalid GET is refused as an invalid request, and a command as a wrong method", async (t) => {
  const { base, searched } = await openDescribed(t);
  const bomb = gzipSync(Buffer.alloc(8 << 20, 0x20)).toString("base64url");
  const refused: [query: Record<string, string>, status: number, code: string][] = [
    [{ encoding: "json", message: "{" }, 400, "invalid_argument"],
    [{ encoding: "json", message: '{"statuses":["NOPE"]}' }, 400, "invalid_argument"],
    [{ encoding: "json", message: "%%%", base64: "1" }, 400, "invalid_argument"],
    [{ encoding: "proto", message: "_____w", base64: "1" }, 400, "invalid_argument"],
    [{ encoding: "json", message: bomb, base64: "1", compression: "gzip" }, 429, "resource_exhausted"],
    [{ encoding: "json", message: "x", compression: "lzma" }, 501, "unimplemented"],
  ];
  for (const [query, status, code] of refused) {
    const response = await fetch(base + listStatus + asQuery(query));
    assert.deepEqual(
      [response.status, ((await response.json()) as { code: string }).code],
      [status, code],
      String(query.message),
    );
  }
  for (const query of ["", asQuery({ encoding: "xml", message: "" })])
    assert.equal((await fetch(base + listStatus + query)).status, 415);
  const command = `/svc.v1.CommandService/ScheduleCheck${asQuery({ encoding: "json", message: "{}" })}`;
  assert.equal((await fetch(base + command)).status, 405);
  assert.deepEqual(searched, []);
});

test("[PT1] exactly the methods that change nothing are declared free of side effects", () => {
  const reads = [...QueryService.methods, ...CommandService.methods, ...AuthService.methods].flatMap((method) =>
    method.idempotency === 1 ? [method.name] : [],
  );
  assert.deepEqual(reads, [...QueryService.methods.map(({ name }) => name), "WhoAmI"]);
});

test("[PT4] /api/openapi.json is valid OpenAPI 3.1 of the services that are served, and /api/ shows it", async (t) => {
  const { base } = await openDescribed(t);
  const response = await fetch(`${base}/api/openapi.json`);
  assert.equal(response.headers.get("content-type"), "application/json");
  const document = (await response.json()) as OpenApiDocument;
  const { valid, errors } = await new Validator().validate(document);
  assert.ok(valid, JSON.stringify(errors));
  assert.deepEqual(Object.keys(document.paths[listStatus] ?? {}), ["post", "get"]);
  assert.deepEqual(Object.keys(document.paths["/svc.v1.CommandService/ScheduleCheck"] ?? {}), ["post"]);
  assert.equal(document.paths["/svc.v1.AdminService/GetConfig"], undefined);
  const { "svc.v1.StatusRow": row, "svc.v1.Status": status } = document.components.schemas;
  const { lastCheck } = (row?.properties ?? {}) as Record<string, JsonSchema>;
  assert.equal(lastCheck?.format, "date-time");
  assert.match(String(status?.enum), /STATUS_OK/);
  assert.match(String(document.paths[listStatus]?.post?.description), /\w/);
  const page = await fetch(`${base}/api/`);
  const html = await page.text();
  assert.equal(page.headers.get("content-type"), "text/html; charset=utf-8");
  assert.match(html, /ListStatus/);
  assert.doesNotMatch(html, /<script|<style|style=|https?:/);
  assert.equal((await fetch(`${base}/api/page.css`)).headers.get("content-type"), "text/css; charset=utf-8");
});

const hosts: [host: string, name: string][] = [
  ["Localhost:8080", "localhost"],
  ["[::1]:8080", "::1"],
  ["[2001:DB8::1]", "2001:db8::1"],
  ["192.0.2.7:80", "192.0.2.7"],
  ["monitor.example.", "monitor.example"],
];
for (const [host, name] of hosts) test(`the host ${host} is ${name}`, () => assert.equal(hostName(host), name));

test("[PT5] a browser's request is answered only under a host that cannot be rebound", async (t) => {
  const allowed = allowedHosts(["monitor.corp"], "https://status.example.org/x");
  const { port, searched } = await openDescribed(t, { allowedHosts: allowed });
  const call = async (host: string, headers: string, request = "POST") => {
    const target = request === "GET" ? listStatus + asQuery({ encoding: "json", message: "{}" }) : listStatus;
    const body = request === "GET" ? "\r\n" : "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    const answer = await exchangeRaw(
      port,
      `${request} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n${body}`,
    );
    return statusLines(answer)[0]?.slice(-3);
  };
  const browser = [
    "Origin: http://evil.example\r\n",
    "Origin: null\r\n",
    "Sec-Fetch-Site: same-origin\r\n",
    "Sec-Fetch-Site: none\r\n",
  ];
  for (const headers of browser) {
    for (const host of ["evil.example", "evil.example:80", "localhost.evil.example", "127.0.0.1.evil.example", "x"])
      assert.equal(await call(host, headers), "403", `${host} ${headers}`);
    for (const host of [
      "127.0.0.1:1",
      "localhost",
      "LOCALHOST.:80",
      "[::1]:80",
      "10.1.2.3",
      "monitor.corp",
      "status.example.org",
    ])
      assert.equal(await call(host, headers), "200", `${host} ${headers}`);
  }
  assert.equal(await call("evil.example", ""), "200");
  assert.equal(await call("evil.example", "Accept-Language: de\r\n", "GET"), "403");
  assert.equal(await call("evil.example", "", "GET"), "200");
  const before = searched.length;
  const page = await exchangeRaw(
    port,
    "GET /api/ HTTP/1.1\r\nHost: evil.example\r\nSec-Fetch-Site: none\r\nConnection: close\r\n\r\n",
  );
  assert.match(page, /^HTTP\/1\.1 403[\s\S]*permission_denied/);
  assert.equal(searched.length, before);
});

test("[PT5] the rule holds for the authority of HTTP/2", async (t) => {
  const { base, port } = await openDescribed(t, { allowedHosts: allowedHosts([], undefined) });
  const session = connect(base);
  atEnd(t, () => session.destroy());
  const status = async (authority: string) => {
    const stream = session.request({ ":path": "/api/", ":authority": authority, "sec-fetch-site": "none" });
    const [head] = (await once(stream, "response")) as [Record<string, unknown>];
    stream.close();
    return head[":status"];
  };
  assert.deepEqual([await status("evil.example"), await status(`127.0.0.1:${port}`)], [403, 200]);
});

const hostHeaders: [head: string, status: number][] = [
  ["Host: monitor.example", 200],
  ["Host: Monitor_1.example.:8080", 200],
  ["Host: 192.0.2.7:", 200],
  ["Host: [2001:db8::1]:8080", 200],
  ["Host: a%20b", 200],
  ["Host:   monitor.example  ", 200],
  ["Host: monitor example", 400],
  ["Host: monitor.example :80", 400],
  ["Host: a\tb", 400],
  ["Host: a,b", 200],
  ["Host: a/b", 400],
  ["Host: a?b", 400],
  ["Host: a#b", 400],
  ["Host: user@a", 400],
  ["Host: a\\b", 400],
  ['Host: "a"', 400],
  ["Host: <a>", 400],
  ["Host: a%2", 400],
  ["Host: \xfcber", 400],
  ["Host: a:b", 400],
  ["Host: a:80:80", 400],
  ["Host: 2001:db8::1", 400],
  ["Host: [2001:db8::1", 400],
  ["Host: [192.0.2.7]", 400],
  ["Host: []", 400],
  ["Host: ", 400],
  ["Host: :80", 400],
  ["X-Nothing: a", 400],
  ["Host: a\r\nHost: a", 400],
];
test("[IN16] a request of HTTP/1.1 with an invalid Host header, or without one, is 400 on every path", async (t) => {
  const { port, searched } = await openDescribed(t);
  for (const [head, status] of hostHeaders)
    for (const path of [listStatus, "/api/"]) {
      const body = "Content-Type: application/json\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}";
      const answer = await exchangeRaw(
        port,
        `${path === "/api/" ? "GET" : "POST"} ${path} HTTP/1.1\r\n${head}\r\n${body}`,
      );
      assert.deepEqual(statusLines(answer), [`HTTP/1.1 ${status}`], JSON.stringify(`${path} ${head}`));
    }
  assert.equal(searched.length, hostHeaders.filter(([, status]) => status === 200).length);
  for (const [head, status] of [
    ["", 200],
    ["Host: a b\r\n", 400],
  ] as const)
    assert.match(await exchangeRaw(port, `GET /api/ HTTP/1.0\r\n${head}\r\n`), new RegExp(`^HTTP/1.1 ${status}`));
});

test("[IN16] an invalid authority of HTTP/2 is 400, or an error of its stream, and harms no other", async (t) => {
  const { base } = await openDescribed(t);
  const session = connect(base);
  atEnd(t, () => session.destroy());
  const rows: [authority: string, host: string | undefined, answers: readonly unknown[]][] = [
    ["monitor example", undefined, ["error"]],
    ["user@monitor.example", undefined, [400, "error"]],
    ["monitor.example/x", undefined, [400, "error"]],
    ["monitor.example:x", undefined, [400, "error"]],
    ["monitor.example", "other.example", [400]],
    ["monitor.example", "monitor.example", [200]],
    ["monitor.example:80", undefined, [200]],
  ];
  for (const [authority, host, answers] of rows) {
    const headers = { ":path": "/api/", ":authority": authority, ...(host && { host }) };
    const stream = session.request(headers).resume();
    const answer = await once(stream, "response").then(
      ([head]) => head[":status"],
      () => "error",
    );
    assert.ok(answers.includes(answer), `${authority} ${host}: ${answer}`);
  }
});

test("[IN5] two Host headers are refused", async (t) => {
  const { port, searched } = await openDescribed(t);
  for (const second of ["evil.example", "127.0.0.1"]) {
    const head = `POST ${listStatus} HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: ${second}\r\nContent-Type: application/json\r\n`;
    const answer = await exchangeRaw(port, `${head}Connection: close\r\nContent-Length: 2\r\n\r\n{}`);
    assert.deepEqual(statusLines(answer), ["HTTP/1.1 400"]);
  }
  assert.deepEqual(searched, []);
});
