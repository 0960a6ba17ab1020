import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, lstatSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { spawnProgram, startTestAgent, tempFolder } from "../../run/processes.ts";

const config = "hosts: {}\n";

type Flags = Readonly<Record<string, string>>;

/** Runs a program until it ends by itself; one that does not is killed in the end, and has no exit code. */
async function endOf(t: TestContext, flags: Flags, name: "agent" | "aggregator" = "agent") {
  const folder = tempFolder(t);
  const [document, realms] = [join(folder, "config.cue"), join(folder, "realms.cue")];
  writeFileSync(document, config);
  writeFileSync(realms, "realms: fra: {}\n");
  const own: Flags =
    name === "agent" ? { config: document } : { "realms-config": realms, "nats-url": "nats://127.0.0.1:1" };
  const all = { ...own, "data-dir": join(folder, "data"), listen: "127.0.0.1:0", ...flags };
  const program = spawnProgram(
    name,
    Object.entries(all).flatMap(([flag, value]) => [`-${flag}`, value]),
  );
  assert.ok(program.stderr);
  const killed = setTimeout(() => program.kill("SIGKILL"), 60_000);
  const [stderr, [code]] = await Promise.all([text(program.stderr), once(program, "exit")]);
  clearTimeout(killed);
  return { code: code as number | null, stderr };
}

const refusals: [flag: string, value: string, code: number, message: RegExp][] = [
  ["auth-config", "/dev/zero", 1, /\/dev\/zero:1:1: cannot be read: it is not a regular file/],
  ["config", "/dev/zero", 1, /\/dev\/zero:1:1: cannot be read: it is not a regular file/],
  ["api-token-file", "/dev/zero", 2, /-api-token-file: file "\/dev\/zero" cannot be read: it is not a regular file/],
  ["session-secret-file", "/dev/urandom", 2, /it is not a regular file/],
  ["data-dir", "/proc/x", 1, /cannot create the data directory \/proc\/x/],
  ["data-dir", "/proc/x/y", 1, /cannot create the data directory \/proc\/x\/y/],
];
for (const [flag, value, code, message] of refusals)
  test(`[PT6] -${flag} ${value} is refused at the start`, async (t) => {
    const ended = await endOf(t, { [flag]: value });
    assert.match(ended.stderr, message);
    assert.equal(ended.code, code, ended.stderr);
  });

test("[PT11] a -smtp-url that is not a URL, or has a password, is refused with exit code 2 and without the password", async (t) => {
  const urls = ["smtp://ann:c4nary@mail.example:bad", "smtp://ann:c4nary@mail.example", "ann:c4nary@mail.example:25"];
  for (const { code, stderr } of await Promise.all(urls.map((url) => endOf(t, { "smtp-url": url })))) {
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^realmwatch-agent: [^\n]*-smtp-url[^\n]*\[secret\][^\n]*\n$/);
    assert.doesNotMatch(stderr, /c4nary/);
  }
});

for (const flag of ["realms-config", "auth-config"])
  test(`[PT6] -${flag} /dev/zero of an aggregator ends it with one line`, async (t) => {
    const { code, stderr } = await endOf(t, { [flag]: "/dev/zero" }, "aggregator");
    assert.equal(stderr, "/dev/zero:1:1: cannot be read: it is not a regular file\n");
    assert.equal(code, 1);
  });

test("[PT6] documents are refused when they are pipes or too large", async (t) => {
  const folder = tempFolder(t);
  const [pipe, large] = [join(folder, "pipe"), join(folder, "large")];
  execFileSync("mkfifo", [pipe]);
  writeFileSync(large, Buffer.alloc(1_048_577, 0x20));
  const fromPipe = await endOf(t, { config: pipe });
  assert.deepEqual([fromPipe.code, /it is not a regular file/.test(fromPipe.stderr)], [1, true], fromPipe.stderr);
  const tooLarge = await endOf(t, { "auth-config": large });
  assert.deepEqual([tooLarge.code, /it is larger than 1 MiB/.test(tooLarge.stderr)], [1, true], tooLarge.stderr);
});

test("[PT7] a snapshot is written through no link beside it, and replaces a link in its place", async (t) => {
  const folder = tempFolder(t);
  const [victim, out] = [join(folder, "victim"), join(folder, "snapshot.json")];
  writeFileSync(victim, "keep");
  symlinkSync(victim, `${out}.new`);
  symlinkSync(victim, out);
  const agent = await startTestAgent(t, { config, flags: { "snapshot-out": out } });
  await until("the snapshot", () => !lstatSync(out).isSymbolicLink(), { seen: () => agent.output() });
  assert.equal(await agent.stop(), 0);
  assert.equal(readFileSync(victim, "utf8"), "keep");
  assert.equal(JSON.parse(readFileSync(out, "utf8")).realm, "default");
  assert.deepEqual(readdirSync(folder).sort(), ["snapshot.json", "snapshot.json.new", "victim"]);
  assert.ok(existsSync(dirname(out)));
});
