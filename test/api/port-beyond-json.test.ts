import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:http2";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { Health, HealthCheckResponse_ServingStatus as Status } from "@realmwatch/proto/grpc/health/v1/health_pb";
import { ServerReflection } from "@realmwatch/proto/grpc/reflection/v1/reflection_pb";
import { ServerReflection as AlphaServerReflection } from "@realmwatch/proto/grpc/reflection/v1alpha/reflection_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { ListStatusRequestSchema, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { describedApi } from "@realmwatch/shared/api/discovery/described-api";
import type { JsonSchema } from "@realmwatch/shared/api/openapi/json-schema";
import type { OpenApiDocument } from "@realmwatch/shared/api/openapi/openapi-document";
import { allowedHosts, hostName } from "@realmwatch/shared/platform/http/host-header";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Validator } from "@seriousme/openapi-schema-validator";
import { exchangeRaw, statusLines } from "./raw-connection.ts";
import { openTestServer, type TestServerOptions } from "./test-server.ts";

/** Opens a port with the description of its own API. `state.ready` is the readiness that it reports. */
async function openDescribed(t: TestContext, options: TestServerOptions = {}) {
  const state = { ready: true };
  const api = describedApi({
    clock: systemClock,
    livenessError: () => undefined,
    dependencies: () => [{ name: "journal", ok: state.ready, needed: true, detail: "" }],
  });
  const searched: string[] = [];
  const opened = await openTestServer(t, {
    pages: api.pages,
    ...options,
    rpc: {
      mount: (router) =>
        api.mount(router, () => {
          router.service(QueryService, {
            listStatus: ({ search }) => {
              searched.push(search);
              return { nextPageToken: search };
            },
          });
          router.service(CommandService, { scheduleCheck: () => ({}) });
        }),
      ...options.rpc,
    },
  });
  return { ...opened, searched, state };
}

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

const transports = {
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  Connect: (baseUrl: string) => createConnectTransport({ baseUrl, httpVersion: "2" }),
};
for (const [name, open] of Object.entries(transports))
  test(`[PT2] ${name}: health reports the readiness of the program and of each service`, async (t) => {
    const { base, state } = await openDescribed(t);
    const client = createClient(Health, open(base));
    for (const service of ["", "svc.v1.QueryService"])
      assert.equal((await client.check({ service })).status, Status.SERVING);
    const unknown = await client.check({ service: "svc.v1.AdminService" }).catch(ConnectError.from);
    assert.ok(unknown instanceof ConnectError && unknown.code === Code.NotFound);
    state.ready = false;
    const { statuses } = await client.list({});
    assert.deepEqual(Object.keys(statuses).sort(), ["", "svc.v1.CommandService", "svc.v1.QueryService"]);
    assert.ok(Object.values(statuses).every(({ status }) => status === Status.NOT_SERVING));
  });

test("[PT2] Watch sends a status at once and after a change, and ends when the program stops", async (t) => {
  const { base, server, state, ended } = await openDescribed(t);
  const client = createClient(Health, createGrpcTransport({ baseUrl: base }));
  const seen: Status[] = [];
  let failure: ConnectError | undefined;
  const watching = (async () => {
    for await (const { status } of client.watch({ service: "svc.v1.QueryService" })) seen.push(status);
  })().catch((error) => {
    failure = ConnectError.from(error);
  });
  await until("the first status", () => seen.length === 1, {});
  state.ready = false;
  await until("the change", () => seen.length === 2, {});
  await server.close(10_000);
  await watching;
  assert.deepEqual([seen, failure?.code], [[Status.SERVING, Status.NOT_SERVING], Code.Unavailable]);
  assert.equal(ended.length, 1);
  const unknown = await openDescribed(t);
  const other = createClient(Health, createGrpcTransport({ baseUrl: unknown.base }));
  const leaving = new AbortController();
  await assert.rejects(async () => {
    for await (const { status } of other.watch({ service: "nope" }, { signal: leaving.signal })) {
      assert.equal(status, Status.SERVICE_UNKNOWN);
      leaving.abort();
    }
  });
  await until("the call ends with its client", () => unknown.ended.length === 1, {});
});

for (const [version, service] of [
  ["v1", ServerReflection],
  ["v1alpha", AlphaServerReflection],
] as const)
  test(`[PT2] reflection ${version} lists the services and returns files with all that they import`, async (t) => {
    const { base } = await openDescribed(t);
    const client = createClient(service as typeof ServerReflection, createGrpcTransport({ baseUrl: base }));
    const next = Promise.withResolvers<void>();
    async function* requests() {
      yield { messageRequest: { case: "listServices" as const, value: "*" } };
      // The second request waits for the first answer, as grpcurl does on one stream.
      await next.promise;
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: "svc.v1.QueryService.ListStatus" } };
      yield { messageRequest: { case: "fileByFilename" as const, value: "google/protobuf/timestamp.proto" } };
      yield { messageRequest: { case: "fileContainingSymbol" as const, value: "svc.v1.Nope" } };
      yield { messageRequest: { case: "allExtensionNumbersOfType" as const, value: "svc.v1.StatusRow" } };
      yield { messageRequest: { case: undefined } };
    }
    const answers = [];
    for await (const answer of client.serverReflectionInfo(requests())) {
      answers.push(answer.messageResponse);
      next.resolve();
    }
    const [list, file, timestamp, unknown, extensions, empty] = answers;
    assert.ok(list?.case === "listServicesResponse");
    assert.deepEqual(
      list.value.service.map(({ name }) => name),
      [
        "grpc.health.v1.Health",
        "grpc.reflection.v1.ServerReflection",
        "grpc.reflection.v1alpha.ServerReflection",
        "svc.v1.CommandService",
        "svc.v1.QueryService",
      ],
    );
    assert.ok(file?.case === "fileDescriptorResponse");
    const files = file.value.fileDescriptorProto.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes).name);
    assert.equal(files[0], "svc/v1/query.proto");
    assert.ok(files.includes("svc/v1/common.proto") && files.includes("google/protobuf/timestamp.proto"));
    assert.equal(timestamp?.case, "fileDescriptorResponse");
    assert.ok(unknown?.case === "errorResponse" && unknown.value.errorCode === Code.NotFound);
    assert.equal(extensions?.case, "allExtensionNumbersResponse");
    assert.ok(empty?.case === "errorResponse" && empty.value.errorCode === Code.InvalidArgument);
  });

test("[PT2] the stream of a reflection client that says nothing delays no stop", async (t) => {
  const { base, server, ended } = await openDescribed(t);
  const session = connect(base);
  session.on("error", () => {});
  t.after(() => session.destroy());
  const stream = session.request({
    ":method": "POST",
    ":path": "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
    "content-type": "application/grpc",
    te: "trailers",
  });
  stream.on("error", () => {});
  stream.write(Buffer.from([0, 0, 0, 0, 0]));
  await once(stream, "response");
  await server.close(60_000);
  assert.equal(ended[0]?.error?.code, Code.Unavailable);
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
  t.after(() => session.destroy());
  const status = async (authority: string) => {
    const stream = session.request({ ":path": "/api/", ":authority": authority, "sec-fetch-site": "none" });
    const [head] = (await once(stream, "response")) as [Record<string, unknown>];
    stream.close();
    return head[":status"];
  };
  assert.deepEqual([await status("evil.example"), await status(`127.0.0.1:${port}`)], [403, 200]);
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
