import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { AdminService, ConfigDiagnosticsSchema, ValidateConfigRequestSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { Role } from "@realmwatch/proto/svc/v1/common_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import type { AccessPolicy } from "@realmwatch/shared/api/access/require-role";
import { logRpcs } from "@realmwatch/shared/api/rpc/rpc-log";
import { compileAuthDocument } from "@realmwatch/shared/identity/auth-document";
import { bearerMatcher } from "@realmwatch/shared/identity/bearer-token";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { identityResolver } from "@realmwatch/shared/identity/resolve-identity";
import { ok as granted } from "@realmwatch/shared/model/result";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { openLog } from "@realmwatch/shared/platform/log/log";
import { callRaw, grpcFrame, wireProtocols } from "./raw-call.ts";
import { openTestServer } from "./test-server.ts";

const tokens = { viewer: newToken(), operator: newToken(), admin: newToken() };
const auth = Object.fromEntries(
  Object.entries(tokens).map(([role, { tokenHash }]) => [`the-${role}`, { role, token_hash: tokenHash }]),
);
const plan = compileAuthDocument({ auth });
assert.ok(plan.ok);
const resolve = identityResolver(plan.value);
const shared = "s3cret-t0ken";

const accesses: Record<AccessPolicy["kind"], AccessPolicy> = {
  open: { kind: "open" },
  token: { kind: "token", matches: bearerMatcher(hideSecret(shared)) },
  identities: { kind: "identities", identify: (header) => granted(resolve(header.get("authorization"))) },
};
const bearers: Record<string, string | undefined> = {
  none: undefined,
  unknown: newToken().token,
  shared,
  viewer: tokens.viewer.token,
  operator: tokens.operator.token,
  admin: tokens.admin.token,
};
const methods = [
  "QueryService/GetServerInfo",
  "CommandService/ScheduleCheck",
  "AuthService/WhoAmI",
  "AdminService/GetConfig",
];
const [no, low, ok, bare] = ["unauthenticated", "permission_denied", "ok", "unimplemented"];

/** Codes by caller for query, command, WhoAmI and admin. The admin method is unimplemented for authorized callers. */
const matrix: [access: AccessPolicy["kind"], caller: string, codes: (string | undefined)[]][] = [
  ["open", "none", [ok, ok, no, bare]],
  ["open", "unknown", [ok, ok, no, bare]],
  ["token", "none", [ok, no, no, no]],
  ["token", "unknown", [ok, no, no, no]],
  ["token", "shared", [ok, ok, no, bare]],
  ["identities", "none", [no, no, no, no]],
  ["identities", "unknown", [no, no, no, no]],
  ["identities", "shared", [no, no, no, no]],
  ["identities", "viewer", [ok, low, ok, low]],
  ["identities", "operator", [ok, ok, ok, low]],
  ["identities", "admin", [ok, ok, ok, bare]],
];
for (const protocol of wireProtocols)
  test(`[IN9] ${protocol}: services are accessible by role`, async (t) => {
    const got: typeof matrix = [];
    for (const kind of ["open", "token", "identities"] as const) {
      const { base } = await openTestServer(t, { access: accesses[kind] });
      for (const [, caller] of matrix.filter((row) => row[0] === kind)) {
        const headers = bearers[caller] === undefined ? {} : { authorization: `Bearer ${bearers[caller]}` };
        const body = Buffer.from(protocol === "json" ? "{}" : protocol === "proto" ? "" : grpcFrame(new Uint8Array()));
        const codes = [];
        for (const method of methods)
          codes.push((await callRaw(base, `/svc.v1.${method}`, { protocol, body, headers })).code);
        got.push([kind, caller, codes]);
      }
    }
    assert.deepEqual(got, matrix);
  });

for (const protocol of wireProtocols)
  test(`${protocol}: an unauthorized call is refused before its request is read`, async (t) => {
    const { base, ended, searched } = await openTestServer(t, { access: accesses.identities });
    const body = Buffer.alloc(2 << 20, 0xff);
    const answer = await callRaw(base, "/svc.v1.QueryService/ListStatus", { protocol, body });
    assert.equal(answer.code, "unauthenticated");
    assert.deepEqual(
      [searched.length, ended[0]?.handlerCalled, ended[0]?.error?.code],
      [0, false, Code.Unauthenticated],
    );
  });

const transports = {
  "Connect JSON over HTTP/1.1": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: false }),
  "Connect binary over HTTP/2": (baseUrl: string) =>
    createConnectTransport({ baseUrl, httpVersion: "2", useBinaryFormat: true }),
  gRPC: (baseUrl: string) => createGrpcTransport({ baseUrl }),
  "gRPC-Web over HTTP/1.1": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
  "gRPC-Web over HTTP/2": (baseUrl: string) => createGrpcWebTransport({ baseUrl, httpVersion: "2" }),
};
for (const [name, open] of Object.entries(transports))
  test(`${name}: a Connect client can use the API`, async (t: TestContext) => {
    const { base } = await openTestServer(t, { access: accesses.identities });
    const transport = open(base);
    const headers = { authorization: `Bearer ${tokens.admin.token}`, "x-request-id": "trace-1" };
    const me = await createClient(AuthService, transport).whoAmI({}, { headers });
    assert.deepEqual([me.name, me.role], ["the-admin", Role.ADMIN]);
    const query = createClient(QueryService, transport);
    assert.equal((await query.getServerInfo({}, { headers })).version, "v1.2.3");
    let answered = "";
    const onHeader = (header: Headers) => {
      answered = header.get("x-request-id") ?? "";
    };
    assert.equal((await query.listStatus({ search: "id" }, { headers, onHeader })).nextPageToken, "trace-1");
    assert.equal(answered, "trace-1");
    const big = await query.listStatus({ search: `big ${8 << 20}` }, { headers });
    assert.equal(big.nextPageToken.length, 8 << 20);
    const refused = await createClient(AdminService, transport)
      .validateConfig({ cue: "x" }, { headers })
      .catch(ConnectError.from);
    assert.ok(refused instanceof ConnectError);
    assert.deepEqual([refused.code, refused.rawMessage], [Code.InvalidArgument, "config.cue:3:5: no"]);
    assert.equal(refused.findDetails(ConfigDiagnosticsSchema)[0]?.diagnostics[0]?.line, 3);
    const unknown = await createClient(AuthService, transport).login({}, { headers }).catch(ConnectError.from);
    assert.equal(unknown instanceof ConnectError && unknown.code, Code.Unauthenticated);
  });

test("the detail of a rejected document has the specified JSON form", async (t) => {
  const { base } = await openTestServer(t);
  const body = toBinary(ValidateConfigRequestSchema, create(ValidateConfigRequestSchema, { cue: "x" }));
  const headers = { "content-type": "application/proto" };
  const response = await fetch(`${base}/svc.v1.AdminService/ValidateConfig`, { method: "POST", headers, body });
  const answer = (await response.json()) as {
    code: string;
    details: { type: string; value: string; debug: unknown }[];
  };
  assert.deepEqual(
    [response.status, answer.code, answer.details[0]?.type],
    [400, "invalid_argument", "svc.v1.ConfigDiagnostics"],
  );
  assert.deepEqual(answer.details[0]?.debug, {
    diagnostics: [{ message: "no", file: "config.cue", line: 3, column: 5 }],
  });
});

test("a document of 60 MiB is accepted over HTTP/1.1 and HTTP/2", async (t) => {
  const { base } = await openTestServer(t);
  for (const httpVersion of ["1.1", "2"] as const) {
    const transport = createConnectTransport({ baseUrl: base, httpVersion, useBinaryFormat: true });
    await createClient(AdminService, transport).validateConfig({ cue: "x".repeat(60 << 20) });
  }
});

test("an invalid request id of the caller is replaced", async (t) => {
  const { base } = await openTestServer(t);
  for (const [given, expected] of [
    ["a-1_b.c:d", "a-1_b.c:d"],
    ["a b", "minted"],
    ["x".repeat(65), "minted"],
    ["", "minted"],
  ]) {
    const headers = { "content-type": "application/json", "x-request-id": given ?? "" };
    const response = await fetch(`${base}/svc.v1.QueryService/ListStatus`, {
      method: "POST",
      headers,
      body: '{"search":"id"}',
    });
    assert.equal(((await response.json()) as { nextPageToken: string }).nextPageToken, expected);
    assert.equal(response.headers.get("x-request-id"), expected);
  }
});

test("[IN13] the log has the caller, method and code of each call, and no secret", async (t) => {
  const chunks: string[] = [];
  const log = await openLog({
    level: "debug",
    format: "json",
    to: { write: (line: string) => void chunks.push(line) },
  });
  const { base } = await openTestServer(t, { access: accesses.identities, rpc: { onComplete: logRpcs(log) } });
  const call = (search: string, token: string) =>
    fetch(`${base}/svc.v1.QueryService/ListStatus?token=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json", authorization: `Bearer ${token}`, cookie: "svc_session=c00kie" },
      body: JSON.stringify({ search }),
    });
  await call("pass-phrase", tokens.viewer.token);
  await call("pass-phrase", "wr0ng");
  await call("boom", tokens.viewer.token);
  const lines = chunks.map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.map((line) => [line.level, line.rpc, line.code, line.principal, line.request_id]),
    [
      ["debug", "svc.v1.QueryService/ListStatus", "ok", "the-viewer", "minted"],
      ["info", "svc.v1.QueryService/ListStatus", "unauthenticated", undefined, "minted"],
      ["error", "svc.v1.QueryService/ListStatus", "internal", "the-viewer", "minted"],
    ],
  );
  assert.match(lines[2].err.stack, /test-server\.ts/);
  for (const secret of [tokens.viewer.token, tokens.viewer.tokenHash, "wr0ng", "c00kie", "pass-phrase"])
    assert.ok(!chunks.join("").includes(secret), secret);
});
