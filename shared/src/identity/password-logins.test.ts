import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { manualClock } from "../model/manual-clock.fixture.ts";
import type { AuthPlan } from "./auth-document.ts";
import { type LoginAttempt, PasswordLogins } from "./password-logins.ts";

/** A hash of the least cost, so that many logins take no time. */
function cheapHash(password: string): string {
  const [salt, base64] = [Buffer.alloc(16, 7), (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "")];
  const params = { message: password, nonce: salt, parallelism: 1, tagLength: 32, memory: 8, passes: 1 };
  return `$argon2id$v=19$m=8,t=1,p=1$${base64(salt)}$${base64(argon2Sync("argon2id", params))}`;
}

const plan: AuthPlan = {
  identities: [
    { name: "ann", role: "operator", credential: { kind: "password", hash: cheapHash("correct") } },
    { name: "bob", role: "viewer", credential: { kind: "password", hash: cheapHash("horse") } },
    { name: "bot", role: "admin", credential: { kind: "token", digest: "ab".repeat(32) } },
  ],
};

function open() {
  const clock = manualClock(0);
  const logins = new PasswordLogins(plan, clock);
  const attempt = (more: Partial<LoginAttempt> = {}) =>
    logins.attempt({ user: "ann", password: "correct", peer: "192.0.2.1", ...more });
  return { clock, attempt };
}

test("[AT1] a name with its password is accepted, with the role of the document", async () => {
  const { attempt } = open();
  assert.deepEqual(await attempt(), { kind: "accepted", identity: { name: "ann", role: "operator" } });
});

test("[AT4] unknown names, wrong passwords and identities with a token are refused in the same way", async () => {
  const { attempt } = open();
  for (const [n, bad] of [
    { password: "wrong" },
    { password: "" },
    { password: "correct\0" },
    { password: "x".repeat(1_000_000) },
    { user: "Ann" },
    { user: "" },
    { user: "nobody" },
    { user: "bot", password: "" },
    { user: "__proto__" },
  ].entries())
    assert.deepEqual(await attempt({ ...bad, peer: `192.0.2.${n}` }), { kind: "refused" });
});

test("[AT4] without any password an unknown name is refused as well", async () => {
  const logins = new PasswordLogins({ identities: plan.identities.slice(2) }, manualClock(0));
  assert.deepEqual(await logins.attempt({ user: "x", password: "y", peer: "p" }), { kind: "refused" });
});

test("[AT5] after ten failures of a name in a minute its password is not looked at, from any peer", async () => {
  const { attempt, clock } = open();
  for (let n = 0; n < 10; n++)
    assert.equal((await attempt({ password: "wrong", peer: `10.0.0.${n}` })).kind, "refused");
  clock.advance(20_000);
  assert.deepEqual(await attempt({ peer: "10.0.1.1" }), { kind: "limited", retryAfterMs: 40_000 });
  assert.equal((await attempt({ user: "bob", password: "horse", peer: "10.0.0.1" })).kind, "accepted");
  clock.advance(40_000);
  assert.equal((await attempt()).kind, "accepted");
});

test("[AT5] after ten failures of a peer in a minute it cannot log in under any name", async () => {
  const { attempt, clock } = open();
  for (let n = 0; n < 10; n++) await attempt({ user: `guess${n}` });
  assert.equal((await attempt()).kind, "limited");
  assert.equal((await attempt({ peer: "192.0.2.2" })).kind, "accepted");
  clock.advance(60_000);
  assert.equal((await attempt()).kind, "accepted");
});

test("[AT5] addresses of one IPv6 network count as one peer", async () => {
  const { attempt } = open();
  for (let n = 0; n < 10; n++) await attempt({ user: `guess${n}`, peer: `2001:db8::${n}` });
  assert.equal((await attempt({ peer: "2001:db8::ffff:1" })).kind, "limited");
  assert.equal((await attempt({ peer: "2001:db8:0:1::1" })).kind, "accepted");
});

test("[AT5] parallel logins have no more attempts than successive ones", async () => {
  const { attempt } = open();
  const outcomes = await Promise.all(Array.from({ length: 200 }, () => attempt({ password: "wrong" })));
  const refused = outcomes.filter(({ kind }) => kind === "refused").length;
  assert.deepEqual([refused, outcomes.length - refused], [10, 190]);
});

test("[AT5] successful logins are never limited, also many at a time", async () => {
  const { attempt } = open();
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => attempt()));
  assert.ok(outcomes.every(({ kind }) => kind === "accepted"));
});

test("[AT5] beyond a number of waiting logins further ones are limited at once", async () => {
  const { attempt } = open();
  const outcomes = await Promise.all(Array.from({ length: 400 }, (_, n) => attempt({ peer: `10.1.${n}.1` })));
  const limited = outcomes.filter(({ kind }) => kind === "limited").length;
  assert.deepEqual([limited > 100, outcomes.length - limited > 200], [true, true]);
});
