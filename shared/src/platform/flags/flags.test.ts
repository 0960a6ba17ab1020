import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { inspect } from "node:util";
import { exposedSecrets } from "./exposed-secrets.ts";
import { formatFlagHelp } from "./flag-help.ts";
import { listenAddress, oneOf, optionalHttpUrl, optionalText, wholeNumber } from "./flag-parsers.ts";
import { type FlagTable, parseFlags } from "./flags.ts";

const table = {
  listen: { kind: "value", help: "Listen address.", placeholder: "ADDRESS", fallback: ":8080", parse: listenAddress },
  "max-checks": {
    kind: "value",
    help: "Maximum number of checks.",
    placeholder: "N",
    fallback: "8",
    parse: wholeNumber({ min: 1, max: 64 }),
  },
  "log-level": { kind: "value", help: "", placeholder: "LEVEL", fallback: "info", parse: oneOf(["info", "debug"]) },
  "read-only": { kind: "switch", help: "Refuse commands." },
  "api-token": {
    kind: "secret",
    help: "Token of writers.",
    placeholder: "TOKEN",
    refuse: (text) => (text.length < 4 ? "is too short" : undefined),
  },
} as const satisfies FlagTable;

const dir = mkdtempSync(join(tmpdir(), "flags-"));
after(() => rmSync(dir, { recursive: true }));
const tokenFile = join(dir, "token");
writeFileSync(tokenFile, "from-file\n");

const commands = {
  "new-token": { words: [], flags: {} },
  period: {
    words: ["FILE", "NAME"],
    flags: { from: { kind: "value", help: "Start time.", placeholder: "TIME", fallback: "", parse: optionalText } },
  },
} as const;
const read = (args: string[], env: Record<string, string> = {}) => parseFlags(table, { args, env, commands });
function values(args: string[], env: Record<string, string> = {}) {
  const result = read(args, env);
  assert.ok(result.ok, JSON.stringify(result));
  return result.value.values;
}
function refusal(args: string[], env: Record<string, string> = {}): string {
  const result = read(args, env);
  assert.ok(!result.ok && result.error.kind === "usage");
  assert.doesNotMatch(result.error.message, /\n/);
  return result.error.message;
}

test("values are typed, camel-cased and have defaults", () => {
  const got = values([]);
  const port: number = got.listen.port;
  const level: "info" | "debug" = got.logLevel;
  assert.deepEqual([port, level, got.maxChecks, got.readOnly, got.apiToken], [8080, "info", 8, false, undefined]);
});

for (const args of [
  ["-listen", "a:1"],
  ["--listen", "a:1"],
  ["-listen=a:1"],
  ["--listen=a:1"],
  ["-listen=b:2", "-listen=a:1"],
])
  test(`accepts the syntax ${args.join(" ")}`, () => assert.deepEqual(values(args).listen, { host: "a", port: 1 }));

test("a flag takes precedence over the environment, and the environment over the default", () => {
  const env = { REALMWATCH_MAX_CHECKS: "9", REALMWATCH_READ_ONLY: "true" };
  assert.equal(values([], env).maxChecks, 9);
  assert.equal(values(["-max-checks", "10"], env).maxChecks, 10);
  assert.equal(values([], env).readOnly, true);
  assert.equal(values(["-read-only=false"], env).readOnly, false);
  assert.equal(values([], { REALMWATCH_MAX_CHECKS: "" }).maxChecks, 8);
});

test("a switch does not consume the next word", () => {
  const result = read(["-read-only", "new-token"]);
  assert.ok(result.ok && result.value.values.readOnly && result.value.command?.name === "new-token");
});

test("a word in brackets may be absent, the others are needed", () => {
  const commands = { convert: { words: ["FILE", "[DIR]"], flags: {} } };
  const parse = (...args: string[]) => parseFlags({}, { args: ["convert", ...args], env: {}, commands });
  const words = (...args: string[]) => {
    const result = parse(...args);
    return result.ok ? result.value.command?.words : result.error;
  };
  assert.deepEqual(words("a", "b"), ["a", "b"]);
  assert.deepEqual(words("a"), ["a"]);
  assert.deepEqual(words(), { kind: "usage", message: "convert needs FILE" });
});

test("a sub-command accepts its own words and flags, and the program's flags", () => {
  const result = read(["-max-checks=7", "period", "a.cue", "-from", "x", "office", "-listen", "a:1"]);
  assert.ok(result.ok, JSON.stringify(result));
  const { name, words, values } = result.value.command ?? {};
  assert.deepEqual([name, words, values?.["from"], values?.["maxChecks"]], ["period", ["a.cue", "office"], "x", 7]);
  const stopped = read(["period", "-help"]);
  assert.deepEqual(stopped, { ok: false, error: { kind: "help", command: "period" } });
});

test("a secret comes from the flag, the environment or a file, and is never printed", () => {
  for (const token of [
    values(["-api-token", "from-flag"], { REALMWATCH_API_TOKEN_FILE: tokenFile }).apiToken,
    values(["-api-token-file", tokenFile], { REALMWATCH_API_TOKEN: "from-env" }).apiToken,
    values([], { REALMWATCH_API_TOKEN: "from-env" }).apiToken,
  ]) {
    assert.match(token?.reveal() ?? "", /^from-(flag|env|file)$/);
    for (const shown of [`${token}`, JSON.stringify({ token }), inspect({ token })])
      assert.doesNotMatch(shown, /from-/);
  }
});

const refused: [args: string[], env: Record<string, string>, message: RegExp][] = [
  [["-nope"], {}, /^flag -nope is not known/],
  [["-listen"], {}, /^flag -listen needs a value/],
  [["-listen", "8080"], {}, /^-listen: "8080" is not a listen address/],
  [["-max-checks", "65"], {}, /^-max-checks: "65" is not a whole number from 1 to 64/],
  [[], { REALMWATCH_LOG_LEVEL: "loud" }, /^REALMWATCH_LOG_LEVEL: "loud" is not one of info, debug/],
  [["-read-only=maybe"], {}, /is not a boolean/],
  [["-listen-file", "x"], {}, /^flag -listen-file is not known/],
  [["-toString"], {}, /not known/],
  [["start"], {}, /^argument "start" is not understood; -help lists the sub-commands and flags$/],
  [["new-token", "new-token"], {}, /not understood/],
  [["period", "a.cue"], {}, /^period needs NAME$/],
  [["period", "a.cue", "office", "more"], {}, /^argument "more" is not understood/],
  [["-from", "x", "period", "a.cue", "office"], {}, /^flag -from is not known/],
  [["toString"], {}, /^argument "toString" is not understood/],
  [["-api-token="], {}, /^-api-token: the value is empty/],
  [[], { REALMWATCH_API_TOKEN: "" }, /^REALMWATCH_API_TOKEN: the value is empty/],
  [["-api-token", "xyz"], {}, /^-api-token: the value is too short$/],
  [["-api-token", "abcd", "-api-token-file", tokenFile], {}, /both given/],
  [["-api-token-file", join(dir, "none")], {}, /cannot be read: ENOENT/],
  [["-api-token-file", dir], {}, /cannot be read: EISDIR/],
];
for (const [args, env, message] of refused)
  test(`[IN12] refuses ${args.join(" ")} ${JSON.stringify(env)}`, () => assert.match(refusal(args, env), message));

test("[PT11] the refusal of a URL does not repeat its password", () => {
  for (const url of ["smtp://me:c4nary@", "smtp:/me:c4nary@x", "me:c4nary@x", "smtp://me:c4/na:ry@c4nary@x"]) {
    const message = refusal(["-listen", url], {});
    assert.match(message, /^-listen: ".*\[secret\]@.*" is not a listen address/, url);
    assert.doesNotMatch(message, /c4/, url);
  }
});

test("[PT11] secrets on the command line are found, and URLs without a user are none", () => {
  const exposed = (...args: string[]) => exposedSecrets({ ...table, "nats-url": table["api-token"] }, args);
  assert.deepEqual(exposed("-api-token", "abcd", "--nats-url=nats://u:p@x", "-listen", ":1"), [
    "-api-token",
    "-nats-url",
  ]);
  assert.deepEqual(exposed("-api-token-file", "x", "-nats-url", "nats://x:4222", "-listen", "a@b"), []);
});

test("[IN12] the refusal of a word names the words that are accepted", () => {
  assert.deepEqual(oneOf(["", "demo"])("foo"), { ok: false, error: "is not demo" });
  assert.deepEqual(oneOf(["a", "b"])("foo"), { ok: false, error: "is not one of a, b" });
});

test("-help and -version prevent the start", () => {
  assert.deepEqual(read(["--help"]), { ok: false, error: { kind: "help", command: undefined } });
  assert.deepEqual(read(["-version"]), { ok: false, error: { kind: "version" } });
  const help = formatFlagHelp("usage: thing [flags]", table);
  assert.match(help, /-listen ADDRESS\s+Listen address. \(default :8080\)/);
  assert.match(help, /-api-token TOKEN\s+Token of writers\. Also -api-token-file PATH\./);
  assert.match(help, /\n {2}-help +Print this help\.\n/);
  assert.match(help, /\n {2}-version +Print the version\.\n/);
});

test("parsers of addresses, URLs and texts", () => {
  assert.deepEqual(listenAddress("[::1]:0"), { ok: true, value: { host: "::1", port: 0 } });
  assert.deepEqual(listenAddress(":9090"), { ok: true, value: { host: "", port: 9090 } });
  for (const bad of ["", "x", "::1:80", "a:65536", "a:-1", "a b:1"]) assert.equal(listenAddress(bad).ok, false, bad);
  assert.deepEqual(optionalHttpUrl("https://x.example/a/"), { ok: true, value: "https://x.example/a" });
  assert.equal(optionalHttpUrl("ftp://x").ok, false);
  assert.deepEqual(optionalText(""), { ok: true, value: undefined });
});
