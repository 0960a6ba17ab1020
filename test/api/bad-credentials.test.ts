import assert from "node:assert/strict";
import { test } from "node:test";
import { AuthService } from "@realmwatch/proto/svc/v1/auth_pb";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { base64url, SignJWT } from "jose";
import { openTestProgram, passwords, sessionSecret, tokens } from "./program-server.fixture.ts";
import { wireProtocols } from "./raw-call.ts";

const { listStatus } = QueryService.method;
const { token } = tokens.admin;
const claims = { iss: "realmwatch", aud: "agent/fra", sub: "admin", jti: "x" };
const encode = (part: object): string => base64url.encode(JSON.stringify(part));
const nowSec = Math.floor(Date.now() / 1_000);
const times = { iat: nowSec, exp: nowSec + 3_600 };

const signed = (header: object, payload: object, secret = sessionSecret): Promise<string> =>
  new SignJWT({ ...claims, ...times, ...payload })
    .setProtectedHeader({ alg: "HS256", typ: "JWT", ...header })
    .sign(Buffer.from(secret));

/** Session that is good; the others differ from it in one thing. */
const good = await signed({}, {});
const [head = "", body = "", signature = ""] = good.split(".");
const badCookies: [what: string, cookie: string][] = [
  ["no algorithm", `${encode({ alg: "none", typ: "JWT" })}.${body}.`],
  ["no algorithm, with a signature", `${encode({ alg: "none", typ: "JWT" })}.${body}.${signature}`],
  ["HS512", await signed({ alg: "HS512" }, {}, sessionSecret.repeat(2))],
  ["another algorithm than that of the signature", `${encode({ alg: "RS256", typ: "JWT" })}.${body}.${signature}`],
  ["a key of a path", `${encode({ alg: "HS256", typ: "JWT", kid: "/dev/null" })}.${body}.${signature}`],
  ["an unknown critical header", `${encode({ alg: "HS256", typ: "JWT", crit: ["x"], x: 1 })}.${body}.${signature}`],
  ["the form of encryption", `${head}.a.b.c.${signature}`],
  ["another secret", await signed({}, {}, "another secret of more than 32 bytes")],
  ["another issuer", await signed({}, { iss: "evil" })],
  ["another audience", await signed({}, { aud: "aggregator" })],
  ["an end in the past", await signed({}, { iat: nowSec - 7_200, exp: nowSec - 3_600 })],
  ["a beginning in the future", await signed({}, { nbf: nowSec + 3_600 })],
  ["no end", await signed({}, { exp: undefined })],
  ["a name without a password", await signed({}, { sub: "bot-admin" })],
  ["an unknown name", await signed({}, { sub: "__proto__" })],
  ["an edited payload", `${head}.${encode({ ...claims, ...times, sub: "viewer" })}.${signature}`],
  ["a cut signature", good.slice(0, -1)],
  ["a quoted value", `"${good}x"`],
  ["10 KB", "x".repeat(10_000)],
];
const badBearers: [what: string, authorization: string][] = [
  ["nothing", ""],
  ["no token", "Bearer"],
  ["an empty token", "Bearer "],
  ["the beginning of a token", `Bearer ${token.slice(0, -1)}`],
  ["more than a token", `Bearer ${token}x`],
  ["two tokens", `Bearer ${token}, Bearer ${token}`],
  ["a blank inside", `Bearer ${token.slice(0, 5)} ${token.slice(5)}`],
  ["the scheme in lower case", `bearer ${token}`],
  ["no scheme", token],
  ["another scheme", `Basic ${Buffer.from(`admin:${passwords.admin}`).toString("base64")}`],
  ["the hash of a token", `Bearer ${tokens.admin.tokenHash}`],
  ["a session", `Bearer ${good}`],
  ["another alphabet", "Bearer gr\u00fc\u00dfe"],
  ["10 KB", `Bearer ${"x".repeat(10_000)}`],
];

for (const protocol of wireProtocols) {
  test(`[AT2] ${protocol}: forged, foreign and ended sessions are unauthenticated`, async (t) => {
    const { call } = await openTestProgram(t);
    const codeOf = async (cookie: string): Promise<string> =>
      (await call(listStatus, { protocol, headers: { cookie: `svc_session=${cookie}` } })).code;
    const accepted = await codeOf(good);
    assert.equal(accepted, "unimplemented", "the session is good, and the service here implements nothing");
    for (const [what, cookie] of badCookies) assert.equal(await codeOf(cookie), "unauthenticated", what);
  });

  test(`[IN9] ${protocol}: a token without an identity is unauthenticated`, async (t) => {
    const { call } = await openTestProgram(t);
    for (const [what, authorization] of badBearers) {
      const { code } = await call(listStatus, { protocol, headers: { authorization } });
      assert.equal(code, "unauthenticated", what);
    }
  });

  test(`[AT4] ${protocol}: unusual names and passwords are refused as wrong ones are`, async (t) => {
    const { call, audited } = await openTestProgram(t);
    const secret = "canary-of-a-password";
    const logins: [user: string, password: string][] = [
      ["viewer", `${passwords.viewer}\0${secret}`],
      ["viewer\0", passwords.viewer],
      ["viewer", secret.repeat(20_000)],
      ["viewer".repeat(10_000), secret],
      ["__proto__", secret],
      ["VIEWER", passwords.viewer],
      ["vi\u202eewer", passwords.viewer],
    ];
    for (const [user, password] of logins) {
      const answer = await call(AuthService.method.login, { protocol, request: { user, password } });
      const expected = ["unauthenticated", "wrong name or password", 0];
      assert.deepEqual([answer.code, answer.message, answer.setCookies.length], expected, user.slice(0, 20));
    }
    assert.ok(!JSON.stringify(audited).includes(secret));
  });

  test(`[IN9] ${protocol}: a refused caller does not learn what exists`, async (t) => {
    const { call } = await openTestProgram(t);
    const { scheduleCheck, deleteDowntime } = CommandService.method;
    for (const headers of [{}, { authorization: `Bearer ${tokens.viewer.token}` }]) {
      const answers = [
        await call(scheduleCheck, { protocol, headers }),
        await call(deleteDowntime, { protocol, headers, request: { downtimeId: "x" } }),
        await call(deleteDowntime, { protocol, headers, request: { downtimeId: "" } }),
      ];
      for (const answer of answers) assert.deepEqual(answer, answers[0]);
    }
  });
}

test("[IN9] a token in the URL does not count", async (t) => {
  const { base } = await openTestProgram(t);
  for (const name of ["token", "access_token", "authorization", "svc_session"]) {
    const response = await fetch(`${base}/svc.v1.QueryService/ListStatus?${name}=${token}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    assert.equal(response.status, 401, name);
  }
});

test("[IN6] headers with a cookie or a token of 100 KB are refused", async (t) => {
  const { base } = await openTestProgram(t);
  for (const headers of [
    { cookie: `svc_session=${"x".repeat(100_000)}` },
    { authorization: `Bearer ${"x".repeat(100_000)}` },
  ]) {
    const response = await fetch(`${base}/svc.v1.QueryService/ListStatus`, {
      method: "POST",
      headers: { "content-type": "application/json", ...(headers as Record<string, string>) },
      body: "{}",
    });
    assert.equal(response.status, 431);
  }
});
