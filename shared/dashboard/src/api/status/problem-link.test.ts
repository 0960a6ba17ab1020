import assert from "node:assert/strict";
import { test } from "node:test";
import { parseProblemLink } from "./problem-link.ts";

const atMs = Date.UTC(2026, 10, 21, 9);

test("[DL31] a signed link gives the time of its message and its end", () => {
  const claims = { sub: "web1!größe?>~", problem: "p1", iat: atMs / 1_000, exp: atMs / 1_000 + 604_800 };
  const payload = Buffer.from(JSON.stringify(claims)).toString("base64url");
  assert.match(payload, /[-_]/);
  assert.deepEqual(parseProblemLink(`aa.${payload}.cc-_`), { atMs, expiresMs: atMs + 7 * 86_400_000 });
});

test("[DL31] an unsigned link gives the time of its message, any other text nothing", () => {
  const unknown = { atMs: undefined, expiresMs: undefined };
  assert.deepEqual(parseProblemLink(String(atMs / 1_000)), { ...unknown, atMs });
  for (const text of ["1", "", "yes", "a.b.c", "a.bnVsbA.c", "a.MQ.c", "a.eyJpYXQiOiJ4In0.c", "a.eyJpYXQiOjFlMzAwfQ.c"])
    assert.deepEqual(parseProblemLink(text), unknown, text);
});
