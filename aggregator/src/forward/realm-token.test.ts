import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { readRealmTokens } from "./realm-token.ts";

function read(realms: object, environment: Record<string, string> = {}) {
  const plan = compileRealmsDocument({ realms });
  assert.ok(plan.ok);
  return readRealmTokens(plan.value, environment);
}

test("tokens are read from the environment and from files, without the trailing line break", () => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-token-"));
  writeFileSync(join(folder, "ams"), "of-ams\n");
  const tokens = read(
    { fra: { token_env: "FRA" }, ams: { token_file: join(folder, "ams") }, zrh: {} },
    { FRA: "of-fra" },
  );
  assert.ok(tokens.ok);
  assert.deepEqual(
    [...tokens.value].map(([realm, token]) => [realm, token.reveal()]),
    [
      ["fra", "of-fra"],
      ["ams", "of-ams"],
    ],
  );
  assert.doesNotMatch(JSON.stringify([...tokens.value]), /of-/);
  rmSync(folder, { recursive: true });
});

test("[IN13] every token that cannot be read is reported, and none is quoted", () => {
  const tokens = read(
    { a: { token_env: "A" }, b: { token_env: "B" }, c: { token_file: "/nowhere/at-all" }, d: { token_env: "D" } },
    { B: "", D: "with blank" },
  );
  assert.ok(!tokens.ok);
  assert.equal(tokens.error.length, 4);
  assert.match(tokens.error[0] ?? "", /realm "a": token_env: environment variable A holds no token/);
  assert.match(tokens.error[2] ?? "", /realm "c": token_file: "\/nowhere\/at-all" cannot be read: ENOENT/);
  assert.doesNotMatch(tokens.error.join(), /with blank/);
});
