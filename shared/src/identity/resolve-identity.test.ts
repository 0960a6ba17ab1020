import assert from "node:assert/strict";
import { test } from "node:test";
import { hideSecret } from "../platform/flags/secret.ts";
import { compileAuthDocument } from "./auth-document.ts";
import { bearerMatcher } from "./bearer-token.ts";
import { newToken } from "./new-token.ts";
import { identityResolver } from "./resolve-identity.ts";

const bot = newToken();
const other = newToken();
const plan = compileAuthDocument({ auth: { bot: { role: "operator", token_hash: bot.tokenHash } } });
assert.ok(plan.ok);
const resolve = identityResolver(plan.value);

test("a token resolves to its identity", () => {
  assert.deepEqual(resolve(`Bearer ${bot.token}`), { name: "bot", role: "operator" });
});

const bad: (string | null | undefined)[] = [
  undefined,
  null,
  "",
  "Bearer",
  "Bearer ",
  `Bearer ${other.token}`,
  `Bearer ${bot.token.slice(0, -1)}`,
  `Bearer ${bot.token}x`,
  `Bearer  ${bot.token}`,
  `Bearer ${bot.token} `,
  `bearer ${bot.token}`,
  `Basic ${bot.token}`,
  bot.token,
  `Bearer ${bot.tokenHash}`,
  `Bearer ${"x".repeat(1_048_576)}`,
  "Bearer tökén",
];
for (const header of bad)
  test(`[IN9] resolves to no identity: ${String(header).slice(0, 60)}`, () => {
    assert.equal(resolve(header), undefined);
    assert.equal(bearerMatcher(hideSecret(bot.token))(header), false);
  });

test("a shared token matches only itself", () => {
  const matches = bearerMatcher(hideSecret("s3cret"));
  assert.equal(matches("Bearer s3cret"), true);
  assert.equal(matches("Bearer s3cre"), false);
});

test("tokens are random and have a SHA-256 hash", () => {
  assert.notEqual(bot.token, other.token);
  assert.match(bot.tokenHash, /^sha256:[0-9a-f]{64}$/);
  assert.ok(bot.token.length >= 32);
});
