import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import {
  spawnProgram,
  startNats,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";

const config = `hosts: web1: {address: "a", check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}}\n`;
const secret = "a session secret of more than 32 bytes";
const bot = newToken();
const password = "correct horse";
const hash = await hashPassword(password);

const authText = (role: string, name = "ann"): string =>
  `auth: {\n${name}: {role: "${role}", password_hash: "${hash}"}\nbot: {role: "admin", token_hash: "${bot.tokenHash}"}\n}\n`;

/** An auth document with the user ann, and a secret, as flags. */
function authFlags(scope: TestScope) {
  const folder = tempFolder(scope, "sessions");
  const [auth, secretFile] = [join(folder, "auth.cue"), join(folder, "secret")];
  writeFileSync(auth, authText("operator"));
  writeFileSync(secretFile, `${secret}\n`);
  return { auth, flags: { "auth-config": auth, "session-secret-file": secretFile } };
}

async function logIn(base: string): Promise<{ cookie: string }> {
  const answer = await call(base, "AuthService/Login", { user: "ann", password });
  assert.deepEqual([answer.ok, answer.body], [true, { name: "ann", role: answer.body["role"] }], answer.message);
  return { cookie: answer.headers.getSetCookie()[0]?.split(";")[0] ?? "" };
}

const codeOf = async (base: string, rpc: string, request: object, headers: Record<string, string>) => {
  const { ok, code } = await call(base, rpc, request, headers);
  return ok ? "ok" : code;
};

/** Checks a program whose user ann is an operator; `command` is a call that operators may make. */
async function checkSessions(
  program: TestProgram,
  auth: string,
  command: [rpc: string, request: object],
): Promise<void> {
  const { base } = program;
  const [ann, ended] = [await logIn(base), await logIn(base)];
  assert.equal(await codeOf(base, ...command, ann), "ok");
  assert.equal(await codeOf(base, "AdminService/ListAuditRecords", {}, ann), "permission_denied");
  assert.equal(await codeOf(base, ...command, { ...ann, origin: "http://evil.example" }), "permission_denied");
  assert.equal(await codeOf(base, "AuthService/Logout", {}, ended), "ok");
  assert.equal(await codeOf(base, "QueryService/GetServerInfo", {}, ended), "unauthenticated");
  const records = await call(base, "AdminService/ListAuditRecords", {}, { authorization: `Bearer ${bot.token}` });
  const logins = (records.body["records"] as { rpc: string; principal?: object }[]).filter(({ rpc }) =>
    /Login$/.test(rpc),
  );
  assert.deepEqual(
    logins.map(({ principal }) => principal),
    [
      { name: "ann", role: "ROLE_OPERATOR" },
      { name: "ann", role: "ROLE_OPERATOR" },
    ],
  );
  // Identities are read at the start only: a reload ends no session and admits no new name.
  writeFileSync(auth, authText("admin", "bob"));
  program.signal("SIGHUP");
  await until("the reload is over", () => /configuration was reloaded|realms document: loaded/.test(program.output()), {
    seen: () => program.output().slice(-2_000),
  });
  assert.equal(await codeOf(base, ...command, ann), "ok");
  assert.equal(await codeOf(base, "AdminService/ListAuditRecords", {}, ann), "permission_denied");
  assert.equal(await codeOf(base, "AuthService/Login", { user: "bob", password }, {}), "unauthenticated");
  assert.equal((await call(base, "AuthService/WhoAmI", {}, await logIn(base))).body["role"], "ROLE_OPERATOR");
  writeFileSync(auth, authText("viewer"));
  await program.stop("SIGKILL");
  await program.restart();
  assert.equal(await codeOf(base, ...command, ann), "permission_denied");
  assert.equal(await codeOf(base, "QueryService/GetServerInfo", {}, ann), "ok");
  assert.equal(await codeOf(base, "QueryService/GetServerInfo", {}, ended), "unauthenticated");
  writeFileSync(auth, authText("viewer", "bob"));
  await program.restart();
  assert.equal(await codeOf(base, "QueryService/GetServerInfo", {}, ann), "unauthenticated");
  assert.doesNotMatch(program.output(), new RegExp(`${password}|${secret}|eyJ`));
}

test("[AT1, AT3, AT6, AT10] agent: a session lasts over a kill with the role of the document, a logout too", async (t) => {
  const { auth, flags } = authFlags(t);
  const agent = await startTestAgent(t, { config, flags });
  const target = { object: { host: { name: "web1" } } };
  await checkSessions(agent, auth, ["CommandService/AddComment", { target, text: "x" }]);
});

test("[AT1, AT3, AT6, AT10] aggregator: sessions gate commands to realms in the same way", async (t) => {
  const nats = await startNats(t);
  const { auth, flags } = authFlags(t);
  const agent = await startTestAgent(t, { config, realm: "fra", flags: { "nats-url": nats.url } });
  const aggregator = await startTestAggregator(t, {
    realms: `realms: fra: url: "${agent.base}"\n`,
    flags: { ...flags, "nats-url": nats.url },
  });
  const headers = { authorization: `Bearer ${bot.token}` };
  await until("the realm is reachable", async () => {
    const status = await call(aggregator.base, "QueryService/ListStatus", {}, headers);
    return ((status.body["realms"] ?? []) as { reachable?: boolean }[])[0]?.reachable === true;
  });
  const request = { target: { object: { host: { name: "web1" } } }, text: "x" };
  await checkSessions(aggregator, auth, ["RealmCommandService/AddComment", { realm: "fra", request }]);
});

test("[AT9] without -session-secret a session ends with the process, with a warning at its start", async (t) => {
  const { flags } = authFlags(t);
  const agent = await startTestAgent(t, { config, flags: { "auth-config": flags["auth-config"] } });
  assert.match(agent.output(), /sessions end with this process/);
  const ann = await logIn(agent.base);
  await agent.restart();
  assert.equal(await codeOf(agent.base, "AuthService/WhoAmI", {}, ann), "unauthenticated");
});

for (const program of ["agent", "aggregator"] as const)
  test(`[AT9] ${program}: a short -session-secret is refused with exit code 2, and not shown`, async () => {
    const child = spawnProgram(program, ["-session-secret", "a-c4nary-of-31-bytes-----------"]);
    const [stderr] = await Promise.all([text(child.stderr ?? assert.fail()), once(child, "close")]);
    assert.equal(child.exitCode, 2);
    assert.match(stderr, /^realmwatch-\w+: .*-session-secret.* shorter than 32 bytes\n$/);
    assert.doesNotMatch(stderr, /c4nary/);
  });

for (const program of ["agent", "aggregator"] as const)
  test(`[AT1] ${program}: hash-password and new-token print what the auth document takes`, async (t) => {
    const folder = tempFolder(t, "hashes");
    const run = async (command: string, input: string): Promise<string> => {
      const [node = "", ...args] = builtProgram(program);
      const child = spawn(node, [...args, command], { cwd: folder, stdio: ["pipe", "pipe", "inherit"] });
      child.stdin.end(input);
      const [stdout] = await Promise.all([text(child.stdout), once(child, "close")]);
      assert.equal(child.exitCode, 0);
      return stdout;
    };
    assert.match(
      await run("hash-password", `${password}\n`),
      /^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+\$[\w+/]+\$[\w+/]+\n$/,
    );
    assert.match(await run("new-token", ""), /^token: \S{32,}\ntoken_hash: sha256:[0-9a-f]{64}\n$/);
  });
