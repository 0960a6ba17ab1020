import assert from "node:assert/strict";
import { test } from "node:test";
import { type KnownFlags, normaliseArgv } from "./normalise-argv.ts";

const quiet = { long: "quiet", takesValue: false };
const known: KnownFlags = new Map([
  ["comment", { long: "comment", takesValue: true }],
  ["output", { long: "output", takesValue: true }],
  ["quiet", quiet],
  ["q", quiet],
]);
const cases: [args: string[], words: string[]][] = [
  [
    ["status", "-output", "json"],
    ["status", "--output=json"],
  ],
  [
    ["--output=json", "status"],
    ["--output=json", "status"],
  ],
  [["-output=json"], ["--output=json"]],
  [["--output", "json"], ["--output=json"]],
  [["-q"], ["--quiet"]],
  [["--quiet=true", "-q=false", "-quiet=0"], ["--quiet"]],
  [
    ["ack", "-comment", "-server is down", "web1"],
    ["ack", "--comment=-server is down", "web1"],
  ],
  [
    ["ack", "-comment", "a=b\nc"],
    ["ack", "--comment=a=b\nc"],
  ],
  [
    ["-comment=", "x"],
    ["--comment=", "x"],
  ],
  [["-comment"], ["--comment"]],
  [
    ["config", "get", "-"],
    ["config", "get", "-"],
  ],
  [
    ["--", "-q", "-comment"],
    ["--", "-q", "-comment"],
  ],
  [["-tokn=hunter2"], ["--tokn"]],
  [[""], [""]],
];
for (const [args, words] of cases)
  test(`arguments ${JSON.stringify(args)}`, () =>
    assert.deepEqual(normaliseArgv(args, known), { ok: true, value: words }));

test("a switch is on or off", () => {
  const read = normaliseArgv(["-q=maybe"], known);
  assert.equal(read.ok ? "" : read.error, "-q is on or off: write -q=true or -q=false");
});
