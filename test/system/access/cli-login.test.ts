import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type TestContext, test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { cliProgram, runRealmwatch } from "../../run/cli.ts";
import { startTestAgent, tempFolder } from "../../run/processes.ts";

const config = `hosts: web1: {address: "a", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n`;
const password = "pässwörd 1";
const bot = newToken();

async function start(t: TestContext) {
  const folder = tempFolder(t, "cli-login");
  const [auth, secret] = [join(folder, "auth.cue"), join(folder, "secret")];
  writeFileSync(secret, "a session secret of more than 32 bytes");
  const hash = await hashPassword(password);
  writeFileSync(
    auth,
    `auth: {ann: {role: "operator", password_hash: "${hash}"}, bot: token_hash: "${bot.tokenHash}"}\n`,
  );
  const flags = { "auth-config": auth, "session-secret-file": secret };
  const agent = await startTestAgent(t, { config, realm: "fra", flags });
  const env = { REALMWATCH_SERVER: agent.base, XDG_CONFIG_HOME: join(folder, "config") };
  return { agent, env, folder, file: join(folder, "config/realmwatch/sessions.json") };
}

/** Runs the command line with an input. */
async function runWithInput(words: readonly string[], env: Record<string, string>, input: string) {
  const [program = "", ...args] = [...cliProgram, ...words];
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: "pipe" });
  child.stdin.end(input);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]);
  return { code: child.exitCode, stdout, stderr };
}

test("[AT14] a session is kept in a file of its user, is sent to its server only, and ends with the logout", async (t) => {
  const { agent, env, file } = await start(t);
  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    runRealmwatch(args, { env: { ...env, ...more } });
  const before = await run(["status"]);
  assert.deepEqual([before.code, /use realmwatch login, -token or -token-file/.test(before.stderr)], [1, true]);
  const login = await runWithInput(["login", "-user", "ann"], env, `${password}\n`);
  assert.deepEqual([login.code, login.stderr], [0, ""]);
  assert.match(login.stdout, /^signed in to http:\S+ as ann \(operator\) until /);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  assert.equal(statSync(join(file, "..")).mode & 0o777, 0o700);
  const cookie = Object.values(
    JSON.parse(readFileSync(file, "utf8")).sessions as Record<string, { cookie: string }>,
  )[0];
  assert.equal((await run(["status"])).code, 0);
  assert.equal((await run(["comment", "add", "web1", "x", "-author", "bob"])).code, 0);
  const status = await call(agent.base, "QueryService/ListStatus", {}, { cookie: cookie?.cookie ?? "" });
  assert.match(JSON.stringify(status.body), /"author":"ann","onBehalfOf":"bob"/);
  const other = await run(["status"], { REALMWATCH_SERVER: agent.base.replace("127.0.0.1", "localhost") });
  assert.match(other.stderr, /unauthenticated/);
  const asBot = await run(["comment", "add", "web1", "x"], { REALMWATCH_TOKEN: bot.token });
  assert.match(asBot.stderr, /permission_denied/);
  const logout = await run(["logout"]);
  assert.deepEqual([logout.code, /^signed out of /.test(logout.stdout)], [0, true]);
  assert.doesNotMatch(readFileSync(file, "utf8"), /svc_session/);
  const ended = await call(agent.base, "AuthService/WhoAmI", {}, { cookie: cookie?.cookie ?? "" });
  assert.equal(ended.code, "unauthenticated");
  assert.deepEqual(
    [(await run(["logout"])).stdout, (await run(["status"])).code],
    [`not signed in to ${agent.base}\n`, 1],
  );
});

test("[AT14] a password comes from a file too; a wrong one begins no session", async (t) => {
  const { env, folder, file } = await start(t);
  const passwordFile = join(folder, "password");
  writeFileSync(passwordFile, `${password}\r\n`);
  const login = await runRealmwatch(["login", "-user", "ann", "-password-file", passwordFile, "-output", "json"], {
    env,
  });
  assert.equal(login.code, 0, login.stderr);
  const { server, user, role } = JSON.parse(login.stdout);
  assert.deepEqual([server, user, role], [env.REALMWATCH_SERVER, "ann", "operator"]);
  const kept = readFileSync(file, "utf8");
  const wrong = await runWithInput(["login", "-user", "ann"], env, "wrong-c4nary");
  assert.deepEqual([wrong.code, wrong.stderr], [1, "realmwatch: wrong name or password (unauthenticated)\n"]);
  assert.equal(readFileSync(file, "utf8"), kept);
  const missing = await runRealmwatch(["login", "-user", "ann", "-password-file", "/dev/zero"], { env });
  assert.deepEqual([missing.code, /\/dev\/zero cannot be read: /.test(missing.stderr)], [1, true]);
  assert.deepEqual((await runRealmwatch(["login"], { env })).code, 2);
});

test("[AT14] on a terminal the password is asked for and not shown", async (t) => {
  const { env, folder } = await start(t);
  const command = [...cliProgram, "login", "-user", "ann"].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", command, join(folder, "typescript")], {
    env: { ...process.env, ...env },
    stdio: "pipe",
  });
  atEnd(t, () => void child.kill());
  let shown = "";
  child.stdout.on("data", (data: Buffer) => {
    shown += data;
  });
  const ended = once(child, "close");
  await until("the password is asked for", () => shown.includes("Password of ann: "));
  // A mistake that is corrected, then the whole line cleared.
  child.stdin.write(`x\u007fy\u0015${password}\r`);
  await ended;
  assert.equal(child.exitCode, 0, shown);
  assert.match(shown, /Password of ann: \r?\nsigned in to /);
  assert.equal((await runRealmwatch(["status"], { env })).code, 0);
});
