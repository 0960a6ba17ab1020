import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { readConnection } from "./connection-flags.ts";

const folder = mkdtempSync(join(tmpdir(), "cli-flags-"));
after(() => rmSync(folder, { recursive: true }));
const tokenFile = join(folder, "token");
writeFileSync(tokenFile, "from-a-file\n");

function values(given: Record<string, string>, env: Record<string, string> = {}) {
  const read = readConnection(new Map(Object.entries(given)), env);
  assert.ok(read.ok, read.ok ? "" : read.error);
  return read.value;
}

test("a flag has precedence over the environment, the environment over the default", () => {
  const env = { REALMWATCH_OUTPUT: "json", REALMWATCH_SERVER: "https://rw.example/", REALMWATCH_TARGET_REALM: "fra" };
  const none = values({});
  assert.deepEqual([none.output, none.server, none.targetRealm], ["table", "http://127.0.0.1:8080", undefined]);
  const known = values({}, env);
  assert.deepEqual([known.output, known.server, known.targetRealm], ["json", "https://rw.example", "fra"]);
  assert.equal(values({ output: "table" }, env).output, "table");
});

test("a token comes from a flag, a file or the environment", () => {
  const env = { REALMWATCH_TOKEN: "from-env" };
  assert.equal(values({}, env).token?.reveal(), "from-env");
  assert.equal(values({ "token-file": tokenFile }, env).token?.reveal(), "from-a-file");
  assert.equal(values({ token: "from-flag" }, { REALMWATCH_TOKEN_FILE: tokenFile }).token?.reveal(), "from-flag");
});

const refused: [given: Record<string, string>, message: RegExp][] = [
  [{ output: "xml" }, /^-output: "xml" is not one of table, wide, json, ndjson$/],
  [{ server: "localhost:8080" }, /^-server: .* is not an http or https URL$/],
  [{ server: "" }, /^-server: "" is not an http or https URL$/],
  [{ server: "http://ann:hunter2@rw.example" }, /^-server must not contain a user or a password/],
  [{ "target-realm": "No Realm" }, /^-target-realm: "No Realm" is not a realm name$/],
  [{ token: "hunter2 hunter2" }, /^-token: the value has characters/],
  [{ token: "" }, /^-token: the value is empty$/],
];
for (const [given, message] of refused)
  test(`refused: ${Object.keys(given)} ${message.source}`, () => {
    const read = readConnection(new Map(Object.entries(given)), {});
    assert.match(read.ok ? "" : read.error, message);
    assert.doesNotMatch(read.ok ? "" : read.error, /hunter2/);
  });
