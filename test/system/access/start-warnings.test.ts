import assert from "node:assert/strict";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { call } from "../../run/call.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";

const callers = ["viewer", "operator", "admin"].map((role) => ({ role, ...newToken() }));
const secret = "a session secret of more than 32 bytes";

/** Warnings that `GetServerInfo` has for a token; without one, for a caller that is not authenticated. */
async function warningsOf({ base }: TestProgram, token?: string): Promise<readonly string[]> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const { body } = await call(base, "QueryService/GetServerInfo", {}, headers);
  return (body["warnings"] as readonly string[] | undefined) ?? [];
}

test("[PT47, PT48] agent and aggregator tell administrators what they leave open, without secrets, and only as long as it is", async (t) => {
  const folder = tempFolder(t, "warnings");
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const nats = await startNats(t);
  const auth = callers.map(({ role, tokenHash }) => `${role}: {role: "${role}", token_hash: "${tokenHash}"}\n`);
  const flags = {
    "auth-config": file("auth.cue", `auth: {\n${auth.join("")}}\n`),
    "session-secret": secret,
    "nats-url": nats.url.replace("//", "//user:password@"),
  };
  const [config, realms] = [file("config.cue", "hosts: {}\n"), file("realms.cue", "realms: fra: {}\n")];
  chmodSync(config, 0o666);
  chmodSync(realms, 0o666);
  const agent = await startTestAgent(t, { config, flags });
  const aggregator = await startTestAggregator(t, { realms, flags });
  const writable = (path: string): string => `every user of this machine may write ${path}: chmod o-w it`;
  const realmName =
    "the realm has the name that all agents have by default: each agent of a centre needs its own -realm";
  for (const [program, path, expected] of [
    [agent, config, [realmName, writable(config)]],
    [aggregator, realms, [writable(realms)]],
  ] as const) {
    const [viewer, operator, admin] = await Promise.all(callers.map(({ token }) => warningsOf(program, token)));
    assert.deepEqual([viewer, operator, admin], [[], [], expected]);
    for (const warning of expected) assert.ok(program.output().includes(JSON.stringify(warning)), program.output());
    chmodSync(path, 0o644);
    assert.deepEqual(await warningsOf(program, callers[2]?.token), expected.slice(0, -1));
  }
});

test("[PT48] every caller is told that commands are open; with a token or read-only no caller is", async (t) => {
  const agent = await startTestAgent(t, { config: "hosts: {}\n" });
  const open = /^every client that reaches the port may send commands/;
  assert.match((await warningsOf(agent)).join(), open);
  await agent.restart({ "api-token": "an-api-token-0123456789abcdefghij" });
  assert.deepEqual(await warningsOf(agent), []);
  await agent.restart({ "read-only": true });
  assert.deepEqual(await warningsOf(agent), []);
});
