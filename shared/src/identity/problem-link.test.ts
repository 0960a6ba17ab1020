import assert from "node:assert/strict";
import { test } from "node:test";
import { jwtVerify } from "jose";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { signProblemLink } from "./problem-link.ts";
import { sessionTokens } from "./session-token.ts";

const secret = Buffer.from("a secret of at least thirty-two bytes");
const atMs = Date.UTC(2026, 10, 21, 9);
const problem = { realm: "fra", ref: "web1!http", problemId: "p1", atMs };

test("[DL31] the link of a problem is a signed JWT with object, problem and expiry, equal at each delivery", async () => {
  const token = await signProblemLink(problem, secret);
  assert.equal(await signProblemLink(problem, secret), token);
  const options = { algorithms: ["HS256"], audience: "link:fra", currentDate: new Date(atMs) };
  const { payload } = await jwtVerify(token, secret, options);
  const { sub, iat, exp, ...rest } = payload;
  assert.deepEqual([sub, rest["problem"], iat, exp], ["web1!http", "p1", atMs / 1_000, atMs / 1_000 + 604_800]);
  await assert.rejects(jwtVerify(token, Buffer.from("another secret of thirty-two bytes"), options));
  await assert.rejects(jwtVerify(token, secret, { ...options, currentDate: new Date(atMs + 604_801_000) }));
});

test("[DL31] the link of a problem is not a session", async () => {
  const token = await signProblemLink(problem, secret);
  for (const audience of ["fra", "link:fra", "agent:fra"]) {
    const sessions = sessionTokens({ secret, audience, ttlMs: 3_600_000, clock: manualClock(atMs) });
    assert.equal(await sessions.verify(token), undefined);
  }
});
