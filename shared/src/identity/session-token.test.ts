import assert from "node:assert/strict";
import { createSecretKey, generateKeyPairSync } from "node:crypto";
import { test } from "node:test";
import { CompactEncrypt, decodeJwt, SignJWT } from "jose";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { type SessionTokenOptions, sessionTokens } from "./session-token.ts";

const secret = Buffer.from("0123456789abcdef0123456789abcdef");
const startMs = Date.parse("2026-11-20T08:00:00.250Z");
const hourMs = 3_600_000;

function open(more: Partial<SessionTokenOptions> = {}) {
  const clock = manualClock(startMs);
  return { clock, ...sessionTokens({ secret, audience: "agent/fra", ttlMs: 12 * hourMs, clock, ...more }) };
}

test("[AT1] a token verifies until its session ends, and names who logged in", async () => {
  const { clock, issue, verify } = open();
  const { token, session } = await issue("ann");
  assert.deepEqual([session.name, session.expiresMs - session.issuedMs], ["ann", 12 * hourMs]);
  assert.deepEqual(await verify(token), session);
  assert.notEqual((await issue("ann")).session.id, session.id);
  clock.advance(12 * hourMs - 251);
  assert.deepEqual(await verify(token), session);
  clock.advance(1);
  assert.equal(await verify(token), undefined);
});

test("[AT1] a shorter lifetime holds for sessions that began before it", async () => {
  const { token } = await open().issue("ann");
  const clock = manualClock(startMs + 2 * hourMs);
  assert.equal((await open({ clock }).verify(token))?.name, "ann");
  assert.equal(await open({ clock, ttlMs: hourMs }).verify(token), undefined);
});

test("[AT1] a session does not outlive a clock that is set back for longer than a minute", async () => {
  const { clock, issue, verify } = open();
  const { token } = await issue("ann");
  clock.jumpWall(-50_000);
  assert.equal((await verify(token))?.name, "ann");
  clock.jumpWall(-hourMs);
  assert.equal(await verify(token), undefined);
});

const other = Buffer.from("another-secret-of-at-least-32-bytes!");
const claims = { iss: "realmwatch", aud: "agent/fra", sub: "ann", jti: "x", iat: startMs / 1_000, exp: 1e11 };
const sign = (
  payload: Record<string, unknown>,
  header: Record<string, unknown> = { alg: "HS256", typ: "JWT" },
  key: Parameters<SignJWT["sign"]>[0] = secret,
) => new SignJWT(payload).setProtectedHeader(header as { alg: string }).sign(key);
const base64 = (json: unknown): string => Buffer.from(JSON.stringify(json)).toString("base64url");
const without = (name: keyof typeof claims) =>
  Object.fromEntries(Object.entries(claims).filter(([key]) => key !== name));
const rsa = generateKeyPairSync("rsa", { modulusLength: 2_048 });

const forged: [name: string, token: () => Promise<string> | string][] = [
  ["the algorithm none", () => `${base64({ alg: "none", typ: "JWT" })}.${base64(claims)}.`],
  ["another HMAC", () => sign(claims, { alg: "HS512", typ: "JWT" }, Buffer.concat([secret, secret]))],
  ["an RSA signature", () => sign(claims, { alg: "RS256", typ: "JWT" }, rsa.privateKey)],
  ["a key id that is a path", () => sign(claims, { alg: "HS256", typ: "JWT", kid: "../../etc/passwd" }, other)],
  ["an unknown critical header", () => sign(claims, { alg: "HS256", typ: "JWT", crit: ["x"], x: 1 }).catch(() => "x")],
  ["another type", () => sign(claims, { alg: "HS256", typ: "at+jwt" })],
  ["no type", () => sign(claims, { alg: "HS256" })],
  [
    "an encrypted token",
    () =>
      new CompactEncrypt(Buffer.from(JSON.stringify(claims)))
        .setProtectedHeader({ alg: "dir", enc: "A256GCM" })
        .encrypt(createSecretKey(secret)),
  ],
  ["another secret", () => sign(claims, undefined, other)],
  ["an end that has passed", () => sign({ ...claims, exp: startMs / 1_000 - 1 })],
  ["a start in the future", () => sign({ ...claims, nbf: startMs / 1_000 + 60 })],
  ["an issue in the future", () => sign({ ...claims, iat: startMs / 1_000 + 3_600 })],
  ["an issue long ago", () => sign({ ...claims, iat: startMs / 1_000 - 86_400 })],
  ["another issuer", () => sign({ ...claims, iss: "someone" })],
  ["another realm's audience", () => sign({ ...claims, aud: "agent/dub" })],
  ["another program's audience", () => sign({ ...claims, aud: "aggregator" })],
  ["no name", () => sign(without("sub"))],
  ["no id", () => sign(without("jti"))],
  ["no issue", () => sign(without("iat"))],
  ["no end", () => sign(without("exp"))],
  ["an end that is a text", () => sign({ ...claims, exp: "never" }).catch(() => "x")],
  ["an empty text", () => ""],
  ["two dots", () => ".."],
  ["100 KB", () => "x".repeat(100_000)],
];
for (const [name, make] of forged)
  test(`[AT2] a token with ${name} is not a session`, async () => {
    assert.equal(await open().verify(await make()), undefined);
  });

test("[AT2] a token that was edited is not a session", async () => {
  const { issue, verify } = open();
  const { token } = await issue("ann");
  const [head = "", payload = "", signature = ""] = token.split(".");
  const edited = base64({ ...decodeJwt(token), sub: "root" });
  for (const bad of [
    `${head}.${edited}.${signature}`,
    `${head}.${payload}.${signature.slice(0, -2)}`,
    `${head}.${payload}.`,
    `${head}.${payload}`,
    `${base64({ alg: "HS256" })}.${payload}.${signature}`,
    `${token} `,
    `"${token}"`,
  ])
    assert.equal(await verify(bad), undefined, bad);
  assert.equal((await verify(token))?.name, "ann");
});
