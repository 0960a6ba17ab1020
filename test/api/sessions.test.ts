import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { anonymousCallLimiter } from "@realmwatch/shared/api/audit/audit-rate-limiter";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { parseNetworkList } from "@realmwatch/shared/platform/network/network-list";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { decodeJwt } from "jose";
import { authJson, compileAuth, gatedServices, openTestProgram, passwords, tokens } from "./program-server.fixture.ts";
import { wireProtocols } from "./raw-call.ts";

const { login, logout, whoAmI } = AuthService.method;

for (const protocol of wireProtocols)
  test(`[AT1] ${protocol}: a login sets a cookie, and the answer does not contain its token`, async (t) => {
    const { call } = await openTestProgram(t);
    const request = { user: "operator", password: passwords.operator };
    const answer = await call(login, { protocol, request });
    assert.deepEqual([answer.code, answer.setCookies.length], ["ok", 1]);
    const [pair = "", ...attributes] = (answer.setCookies[0] ?? "").split("; ");
    assert.match(pair, /^svc_session=[\w-]+\.[\w-]+\.[\w-]+$/);
    assert.deepEqual(attributes.sort(), ["HttpOnly", "Max-Age=43200", "Path=/", "SameSite=Lax"]);
    assert.deepEqual(Object.keys(decodeJwt(pair.slice("svc_session=".length))).sort(), [
      "aud",
      "exp",
      "iat",
      "iss",
      "jti",
      "sub",
    ]);
    assert.equal((await call(whoAmI, { protocol, headers: { cookie: `a=b; ${pair}; c=d` } })).code, "ok");
  });

test("[AT1] name and role are answered; behind https the cookie is not sent in clear", async (t) => {
  const { base } = await openTestProgram(t, { flags: { publicUrl: "https://mon.example" } });
  const response = await fetch(`${base}/svc.v1.AuthService/Login`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ user: "viewer", password: passwords.viewer }),
  });
  assert.deepEqual(await response.json(), { name: "viewer", role: "ROLE_VIEWER" });
  assert.match(response.headers.getSetCookie()[0] ?? "", /; Secure$/);
});

const codes = { no: "unauthenticated", low: "permission_denied", bare: "unimplemented" };
/** Rank of the role that a service needs. */
const neededRoles: readonly [service: RegExp, needed: number][] = [
  [/^Query/, 1],
  [/Command|Bulk/, 2],
  [/Admin/, 3],
];
const ranks: Record<string, number> = { none: 0, viewer: 1, operator: 2, admin: 3 };

/** Error code that a service returns to a caller with a role. The services of this test implement no method. */
function expectedCode(role: string, service: string): string {
  const needed = neededRoles.find(([name]) => name.test(service))?.[1] ?? 0;
  const rank = ranks[role] ?? 0;
  return rank === 0 ? codes.no : rank < needed ? codes.low : codes.bare;
}

for (const protocol of wireProtocols)
  test(`[IN9] ${protocol}: every method has the same gate for sessions and tokens`, async (t) => {
    const program = await openTestProgram(t);
    const callers: [role: string, headers: Record<string, string>][] = [
      ["none", {}],
      ["none", { cookie: "svc_session=a.b.c" }],
      ["none", { cookie: "svc_session=" }],
      ["none", { authorization: `Bearer ${(await program.login("admin")).slice("svc_session=".length)}` }],
    ];
    for (const role of ["viewer", "operator", "admin"] as const) {
      callers.push([role, { cookie: await program.login(role) }]);
      callers.push([role, { authorization: `Bearer ${tokens[role].token}` }]);
      callers.push([role, { authorization: `Bearer ${tokens[role].token}`, cookie: "svc_session=ended" }]);
    }
    for (const [role, headers] of callers)
      for (const service of gatedServices)
        for (const method of service.methods) {
          const { code } = await program.call(method, { protocol, headers });
          assert.equal(code, expectedCode(role, service.name), `${method.name} as ${role} ${JSON.stringify(headers)}`);
        }
  });

test("[IN9] without identities a cookie has no effect, and there is no AuthService", async (t) => {
  for (const apiToken of [undefined, hideSecret("s3cret")]) {
    const program = await openTestProgram(t, { auth: undefined, flags: { apiToken } });
    const headers = { cookie: "svc_session=x; svc_session=y", "sec-fetch-site": "cross-site" };
    const command = await program.call(CommandService.method.scheduleCheck, { headers: { cookie: headers.cookie } });
    assert.equal(command.code, apiToken === undefined ? codes.bare : codes.no);
    assert.notEqual((await program.call(login, {})).code, "ok");
  }
});

for (const protocol of wireProtocols)
  test(`[AT4] ${protocol}: an unknown name and a wrong password have the same answer`, async (t) => {
    const { call } = await openTestProgram(t);
    const answers = [];
    for (const user of ["viewer", "nobody", "bot-admin", ""])
      answers.push(await call(login, { protocol, request: { user, password: "wrong" } }));
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.deepEqual([answers[0]?.code, answers[0]?.setCookies], [codes.no, []]);
  });

for (const protocol of wireProtocols)
  test(`[AT5] ${protocol}: the eleventh failed login in a minute is resource_exhausted`, async (t) => {
    const { call } = await openTestProgram(t);
    const request = { user: "viewer", password: "wrong" };
    for (let n = 0; n < 10; n++) assert.equal((await call(login, { protocol, request })).code, codes.no);
    const limited = await call(login, { protocol, request: { user: "viewer", password: passwords.viewer } });
    assert.deepEqual([limited.code, limited.setCookies], ["resource_exhausted", []]);
    assert.match(limited.message, /^too many failed logins: try again in \d+ s$/);
  });

test("[AT5] behind a trusted proxy each of its clients is a peer of its own", async (t) => {
  const trustedProxies = parseNetworkList("127.0.0.1");
  assert.ok(trustedProxies.ok);
  const { call } = await openTestProgram(t, { flags: { trustedProxies: trustedProxies.value } });
  const from = (client: string, user: string, password = "wrong") =>
    call(login, { request: { user, password }, headers: { "x-forwarded-for": `198.51.100.9, ${client}` } });
  for (let n = 0; n < 10; n++) assert.equal((await from("192.0.2.1", `guess${n}`)).code, codes.no);
  assert.equal((await from("192.0.2.1", "admin", passwords.admin)).code, "resource_exhausted");
  assert.equal((await from("192.0.2.2", "admin", passwords.admin)).code, "ok");
});

for (const protocol of wireProtocols)
  test(`[AT6] ${protocol}: a logout succeeds without a session too, and ends the one it has`, async (t) => {
    const program = await openTestProgram(t);
    const cleared = ["svc_session=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax"];
    for (const cookie of ["", "svc_session=x", "svc_session=x; svc_session=y"]) {
      const answer = await program.call(logout, { protocol, headers: cookie === "" ? {} : { cookie } });
      assert.deepEqual([answer.code, answer.setCookies], ["ok", cleared]);
    }
    const [cookie, other] = [await program.login("viewer"), await program.login("viewer")];
    assert.equal((await program.call(logout, { protocol, headers: { cookie } })).code, "ok");
    assert.equal((await program.call(whoAmI, { protocol, headers: { cookie } })).code, codes.no);
    assert.equal((await program.call(whoAmI, { protocol, headers: { cookie: other } })).code, "ok");
    assert.equal((await program.call(logout, { protocol, headers: { cookie } })).code, "ok");
  });

test("[AT6] sessions and logouts survive a restart with the same secret, and end with another one", async (t) => {
  const first = await openTestProgram(t);
  const [cookie, ended] = [await first.login("admin"), await first.login("admin")];
  await first.call(logout, { headers: { cookie: ended } });
  await first.close();
  assert.equal(statSync(join(first.dataDir, "revoked-sessions.jsonl")).mode & 0o777, 0o600);
  const { dataDir } = first;
  const second = await openTestProgram(t, { flags: { dataDir } });
  assert.equal((await second.call(whoAmI, { headers: { cookie } })).code, "ok");
  assert.equal((await second.call(whoAmI, { headers: { cookie: ended } })).code, codes.no);
  for (const flags of [
    { sessionSecret: hideSecret("another secret of more than 32 bytes") },
    { sessionSecret: undefined },
  ]) {
    const rotated = await openTestProgram(t, { flags: { dataDir, ...flags } });
    assert.equal((await rotated.call(whoAmI, { headers: { cookie } })).code, codes.no);
    assert.equal(
      rotated.logged.some((line) => line.includes("sessions end")),
      flags.sessionSecret === undefined,
    );
  }
  const elsewhere = await openTestProgram(t, { audience: "agent/dub", flags: { dataDir } });
  assert.equal((await elsewhere.call(whoAmI, { headers: { cookie } })).code, codes.no);
});

test("[AT3] after a restart the role is that of the document, and a name without a password has no session", async (t) => {
  const first = await openTestProgram(t);
  const cookie = await first.login("admin");
  const { admin, ...others } = authJson.auth;
  const roles: [auth: Record<string, unknown>, code: string][] = [
    [{ ...others, admin: { ...admin, role: "viewer" } }, codes.low],
    [{ ...others, admin: { ...admin, role: "operator" } }, codes.bare],
    [{ ...others, admin: { role: "admin", token_hash: `sha256:${"ab".repeat(32)}` } }, codes.no],
    [others, codes.no],
  ];
  for (const [auth, code] of roles) {
    const next = await openTestProgram(t, { auth: compileAuth({ auth }), flags: { dataDir: first.dataDir } });
    const answer = await next.call(CommandService.method.scheduleCheck, { headers: { cookie } });
    assert.equal(answer.code, code);
  }
});

for (const protocol of wireProtocols)
  test(`[AT7] ${protocol}: ambiguous credentials are unauthenticated, and the message names both identities`, async (t) => {
    const program = await openTestProgram(t);
    const cookie = await program.login("viewer");
    const { viewer, admin } = tokens;
    const several = "more than one session cookie";
    const rows: [headers: Record<string, string>, message: string][] = [
      [{ cookie: `${cookie}; ${cookie}` }, several],
      [{ cookie: `svc_session=x; ${cookie}` }, several],
      [{ cookie: `${cookie}; svc_session=`, authorization: `Bearer ${admin.token}` }, several],
      [{ cookie, authorization: `Bearer ${admin.token}` }, "two identities: cookie of viewer, token of bot-admin"],
      [{ cookie, authorization: `Bearer ${viewer.token}` }, "two identities: cookie of viewer, token of bot-viewer"],
      [{ cookie: "svc_session=x", authorization: `Bearer ${admin.token}` }, ""],
      [{ cookie: `xsvc_session=x; ${cookie}; svc_session_2=y` }, ""],
    ];
    for (const [headers, message] of rows) {
      const answer = await program.call(whoAmI, { protocol, headers });
      assert.deepEqual([answer.code, answer.message], [message === "" ? "ok" : codes.no, message]);
      const read = await program.call(QueryService.method.listViews, { protocol, headers });
      if (message === "") assert.equal(read.code, codes.bare);
      else assert.deepEqual([read.code, read.message], [codes.no, message]);
    }
    const both = { cookie, authorization: `Bearer ${admin.token}` };
    assert.equal((await program.call(logout, { protocol, headers: both })).code, "ok");
  });

const origins: [name: string, headers: Record<string, string>, isOwn: boolean][] = [
  ["no header", {}, true],
  ["the same origin", { "sec-fetch-site": "same-origin", origin: "http://HOST" }, true],
  ["an address that the user entered", { "sec-fetch-site": "none" }, true],
  ["our host by https", { origin: "https://HOST" }, true],
  ["the public URL", { origin: "https://mon.example", "sec-fetch-site": "same-origin" }, true],
  ["another site", { "sec-fetch-site": "cross-site" }, false],
  ["a sibling domain", { "sec-fetch-site": "same-site", origin: "http://HOST" }, false],
  ["another origin", { origin: "http://evil.example" }, false],
  ["another port", { origin: "http://127.0.0.1:1" }, false],
  ["the public URL without TLS", { origin: "http://mon.example" }, false],
  ["no origin", { origin: "null" }, false],
  ["a text", { origin: "HOST" }, false],
  ["our host as a prefix", { origin: "http://HOST.evil.example" }, false],
  ["our host as a user", { origin: "http://HOST@evil.example" }, false],
  ["an unknown site", { "sec-fetch-site": "x" }, false],
];
for (const protocol of wireProtocols)
  test(`[AT8] ${protocol}: a call with the cookie, or a login, from a page of another origin is denied`, async (t) => {
    const program = await openTestProgram(t, { flags: { publicUrl: "https://mon.example" } });
    const host = new URL(program.base).host;
    const cookie = await program.login("operator");
    for (const [name, given, isOwn] of origins) {
      const headers = Object.fromEntries(Object.entries(given).map(([key, text]) => [key, text.replace("HOST", host)]));
      const called = await program.call(QueryService.method.listViews, { protocol, headers: { ...headers, cookie } });
      assert.equal(called.code, isOwn ? codes.bare : codes.low, name);
      const left = await program.call(logout, { protocol, headers: { ...headers, cookie: "svc_session=x" } });
      assert.equal(left.code, isOwn ? "ok" : codes.low, name);
      const entered = await program.call(login, { protocol, headers, request: { user: "viewer", password: "vi3w" } });
      assert.equal(entered.code, isOwn ? "ok" : codes.low, name);
      const authorization = `Bearer ${tokens.operator.token}`;
      const byToken = await program.call(QueryService.method.listViews, {
        protocol,
        headers: { ...headers, authorization },
      });
      assert.equal(byToken.code, codes.bare, name);
    }
  });

test("[AT10] a login is audited under the name that it proves, without the password", async (t) => {
  const program = await openTestProgram(t);
  await program.login("operator");
  const long = `${"n".repeat(255)}😀${"n".repeat(200_000)}`;
  await program.call(login, { request: { user: long, password: "hunter2" } });
  const cookie = await program.login("admin");
  await program.call(login, { headers: { cookie }, request: { user: "viewer", password: "hunter2" } });
  const fields = program.audited.map(({ principal, outcome, commandJson }) => [
    principal,
    outcome,
    JSON.parse(commandJson).user.length,
  ]);
  assert.deepEqual(fields, [
    [{ name: "operator", role: "operator" }, "accepted", 8],
    [undefined, "denied", 256],
    [{ name: "admin", role: "admin" }, "accepted", 5],
    [undefined, "denied", 6],
  ]);
  assert.doesNotMatch(JSON.stringify(program.audited), /hunter2|op3rate|adm1n/);
  assert.doesNotMatch(program.logged.join(""), /hunter2|op3rate|adm1n|eyJ/);
});

test("[AU4] 3 400 anonymous logins of one peer have eleven records", async (t) => {
  const records: AuditRecord[] = [];
  const clock = manualClock(Date.parse("2026-11-20T08:00:00Z"));
  const audit = anonymousCallLimiter({ audit: { add: async (record) => void records.push(record) }, clock });
  const program = await openTestProgram(t, { audit });
  const request = { user: "x".repeat(24_000), password: "y" };
  const sendSome = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n++) await program.call(login, { protocol: "proto", request });
  };
  await Promise.all(Array.from({ length: 17 }, () => sendSome(200)));
  for (let n = 0; n < 5; n++) await program.call(CommandService.method.addComment, {});
  assert.equal(records.length, 10);
  clock.advance(60_000);
  await audit.close();
  assert.deepEqual([records.length, records.reduce((sum, { count }) => sum + count, 0)], [11, 3_405]);
  assert.ok(JSON.stringify(records).length < 10_000);
});

test("[AT2] a session ends after -session-ttl", async (t) => {
  let aheadMs = 0;
  const startMs = systemClock.now();
  const clock = { ...systemClock, now: () => startMs + aheadMs };
  const program = await openTestProgram(t, { clock, flags: { sessionTtl: 60_000 } });
  const cookie = await program.login("viewer");
  aheadMs = 58_000;
  assert.equal((await program.call(whoAmI, { headers: { cookie } })).code, "ok");
  aheadMs = 60_000;
  assert.equal((await program.call(whoAmI, { headers: { cookie } })).code, codes.no);
});
