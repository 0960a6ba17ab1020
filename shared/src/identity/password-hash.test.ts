import assert from "node:assert/strict";
import { test } from "node:test";
import { hashPassword, parsePasswordHash, verifyPassword } from "./password-hash.ts";

test("a hash matches its own password only", async () => {
  const hash = await hashPassword("pässwörd");
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword("pässwörd", hash), true);
  for (const wrong of ["passwort", "", "pässwörd\0", "x".repeat(2_000)])
    assert.equal(await verifyPassword(wrong, hash), false);
});

test("a hash of another implementation verifies", async () => {
  // Test vector of the argon2 reference implementation.
  const hash = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc";
  assert.equal(await verifyPassword("password", hash), true);
});

const bad = [
  "",
  "password",
  "$2b$10$abcdefghijklmnopqrstuv",
  "$argon2i$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$argon2id$v=19$m=4294967295,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$argon2id$v=19$m=65536,t=0,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
  "$argon2id$v=19$m=4,t=1,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc",
];
for (const text of bad)
  test(`refuses the hash ${text.slice(0, 50)}`, async () => {
    assert.equal(parsePasswordHash(text), undefined);
    assert.equal(await verifyPassword("password", text), false);
  });
