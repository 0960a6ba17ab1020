import assert from "node:assert/strict";
import { test } from "node:test";
import { compileAuthDocument } from "./auth-document.ts";
import { newToken } from "./new-token.ts";
import { hashPassword } from "./password-hash.ts";

const tokenHash = `sha256:${"ab".repeat(32)}`;
const otherHash = `sha256:${"cd".repeat(32)}`;
const phc = `$argon2id$v=19$m=19456,t=2,p=1$${"A".repeat(22)}$${"B".repeat(43)}`;

test("identities have a role, viewer by default, and a password or token", () => {
  const auth = { ann: { role: "admin", password_hash: phc }, bot: { token_hash: tokenHash } };
  assert.deepEqual(compileAuthDocument({ auth }), {
    ok: true,
    value: {
      identities: [
        { name: "ann", role: "admin", credential: { kind: "password", hash: phc } },
        { name: "bot", role: "viewer", credential: { kind: "token", digest: "ab".repeat(32) } },
      ],
    },
  });
});

test("the output of hash-password and new-token is accepted", async () => {
  const auth = { ann: { password_hash: await hashPassword("x") }, bot: { token_hash: newToken().tokenHash } };
  assert.equal(compileAuthDocument({ auth }).ok, true);
});

const rows: [json: unknown, path: (string | number)[], at: "value" | "struct", message: RegExp][] = [
  [{}, [], "struct", /auth is missing/],
  [{ auth: {} }, ["auth"], "struct", /names no identity/],
  [{ auth: [] }, ["auth"], "value", /auth must be a struct, not a list/],
  [{ auth: { a: { token_hash: tokenHash } }, extra: 1 }, ["extra"], "value", /extra is not a known field/],
  [
    { auth: { a: { token_hash: tokenHash, rol: 1 } } },
    ["auth", "a", "rol"],
    "value",
    /identity "a": rol is not a known field; the nearest one is "role"/,
  ],
  [{ auth: { a: { token_hash: tokenHash, role: "root" } } }, ["auth", "a", "role"], "value", /viewer, operator, admin/],
  [{ auth: { a: { token_hash: tokenHash, role: tokenHash } } }, ["auth", "a", "role"], "value", /must be one of/],
  [{ auth: { a: { token_hash: 1 } } }, ["auth", "a", "token_hash"], "value", /must be a string, not a number/],
  [{ auth: { a: null } }, ["auth", "a"], "value", /must be a struct, not null/],
  [{ auth: { a: {} } }, ["auth", "a"], "struct", /"a" has neither/],
  [{ auth: { a: { token_hash: tokenHash, password_hash: phc } } }, ["auth", "a"], "struct", /"a" has both/],
  [{ auth: { a: { token_hash: `sha256:${"AB".repeat(32)}` } } }, ["auth", "a", "token_hash"], "value", /new-token/],
  [{ auth: { a: { token_hash: `${tokenHash}\n` } } }, ["auth", "a", "token_hash"], "value", /new-token/],
  [{ auth: { a: { password_hash: "$2b$10$abc" } } }, ["auth", "a", "password_hash"], "value", /hash-password/],
  [
    { auth: { a: { password_hash: phc.replace("m=19456", "m=99999999") } } },
    ["auth", "a", "password_hash"],
    "value",
    /argon2id/,
  ],
  [{ auth: { "": { token_hash: tokenHash } } }, ["auth", ""], "value", /printable/],
  [{ auth: { "a\nb": { token_hash: tokenHash } } }, ["auth", "a\nb"], "value", /printable/],
];
for (const [json, path, at, message] of rows)
  test(`[IN12] refuses ${JSON.stringify(json).slice(0, 70)}`, () => {
    const result = compileAuthDocument(json);
    assert.ok(!result.ok);
    const [problem, ...others] = result.error;
    assert.deepEqual([problem?.path, problem?.at, others], [path, at, []]);
    assert.match(problem?.message ?? "", message);
    assert.doesNotMatch(problem?.message ?? "", /abab|ABAB|BBBB/);
  });

test("all problems are reported at once; a shared token is reported for the later identity", () => {
  const auth = {
    a: { token_hash: otherHash },
    b: { token_hash: otherHash, role: "root" },
    c: {},
    d: { token_hash: tokenHash },
    e: { token_hash: "x" },
    f: { token_hash: "y", password_hash: "z", pasword_hash: phc },
  };
  const result = compileAuthDocument({ auth, more: 1 });
  assert.ok(!result.ok);
  assert.deepEqual(result.error.map(({ message }) => message).sort(), [
    'identity "b": role must be one of viewer, operator, admin',
    'identity "b": token_hash is the same as that of identity "a"',
    'identity "c" has neither password_hash nor token_hash',
    'identity "e": token_hash is not sha256: and 64 lower-case hex digits; the sub-command new-token creates one',
    'identity "f" has both password_hash and token_hash',
    'identity "f": password_hash is not an argon2id hash in PHC format; the sub-command hash-password creates one',
    'identity "f": pasword_hash is not a known field; the nearest one is "password_hash"',
    'identity "f": token_hash is not sha256: and 64 lower-case hex digits; the sub-command new-token creates one',
    "more is not a known field",
  ]);
});

test("a value that is not a struct is refused", () => {
  for (const json of [null, 1, "x", []]) assert.equal(compileAuthDocument(json).ok, false);
});
