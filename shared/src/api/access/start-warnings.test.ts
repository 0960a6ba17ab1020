import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type Role, roles } from "../../model/role.ts";
import { startWarnings, warningsFor } from "./start-warnings.ts";

type Options = Parameters<typeof startWarnings>[0];

const safe: Options["flags"] = {
  apiToken: undefined,
  authConfig: "auth.cue",
  listen: { host: "127.0.0.1", port: 8080 },
  publicUrl: undefined,
  readOnly: false,
  tlsCert: undefined,
};
const warningsOf = (flags: Partial<Options["flags"]>, more: Partial<Options> = {}): readonly string[] =>
  startWarnings({ flags: { ...safe, ...flags }, documents: [], ...more });

const anywhere = { listen: { host: "0.0.0.0", port: 8080 } };
const rows: [name: string, warnings: readonly string[], expected: readonly RegExp[]][] = [
  ["identities, on loopback", warningsOf({}), []],
  ["open commands", warningsOf({ authConfig: undefined }), [/may send commands: see -auth-config/]],
  ["no commands", warningsOf({ authConfig: undefined, readOnly: true }), []],
  ["no TLS", warningsOf(anywhere), [/no TLS.*see -tls-cert/]],
  ["no host is every address", warningsOf({ listen: { host: "", port: 1 } }), [/no TLS/]],
  ["own TLS", warningsOf({ ...anywhere, tlsCert: "cert.pem" }), []],
  ["TLS of a proxy", warningsOf({ ...anywhere, publicUrl: "https://watch.example.org" }), []],
  ["a proxy without TLS", warningsOf({ ...anywhere, publicUrl: "http://watch.example.org" }), [/no TLS/]],
  ["the default realm", warningsOf({}, { realm: "default" }), [/own -realm/]],
  ["a named realm", warningsOf({}, { realm: "fra" }), []],
  ["documents that do not exist", warningsOf({}, { documents: [undefined, "/nowhere/c.cue"] }), []],
];
for (const [name, warnings, expected] of rows)
  test(`[PT47] warnings of a start: ${name}`, () => {
    assert.equal(warnings.length, expected.length, warnings.join("\n"));
    for (const [at, pattern] of expected.entries()) assert.match(warnings[at] ?? "", pattern);
  });

test("[PT47] warnings of a start: a document that every user may write", (t) => {
  const folder = mkdtempSync(join(tmpdir(), "start-warnings-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "c.cue");
  writeFileSync(path, "hosts: {}\n");
  chmodSync(path, 0o664);
  assert.deepEqual(warningsOf({}, { documents: [path] }), []);
  chmodSync(path, 0o666);
  assert.deepEqual(warningsOf({}, { documents: [path] }), [
    `every user of this machine may write ${path}: chmod o-w it`,
  ]);
});

test("[PT48] warnings are for administrators, and for every caller where all of them may send commands", () => {
  const exposed = { ...safe, ...anywhere };
  const countFor = (role: Role | undefined, flags: Options["flags"]): number =>
    warningsFor(role && { name: "ann", role }, { flags, documents: [] }).length;
  assert.deepEqual(
    roles.map((role) => countFor(role, exposed)),
    [0, 0, 1],
  );
  assert.equal(countFor(undefined, { ...exposed, authConfig: undefined }), 2);
  assert.equal(countFor(undefined, { ...exposed, authConfig: undefined, readOnly: true }), 0);
  assert.equal(countFor(undefined, { ...exposed, authConfig: undefined, apiToken: {} as never }), 0);
});
