import assert from "node:assert/strict";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startTestAgent, tempFolder } from "../../run/processes.ts";

const { token, tokenHash } = newToken();
const headers = { authorization: `Bearer ${token}` };
const document = (name: string): string =>
  `// grüße \r\nhosts: "${name}": {address: "a", check: {type: "passive", freshness_threshold: "1h", flap: {}}}\n\n`;

async function start(t: TestContext, config: string) {
  const auth = join(tempFolder(t, "auth"), "auth.cue");
  writeFileSync(auth, `auth: root: {role: "admin", token_hash: "${tokenHash}"}\n`);
  const agent = await startTestAgent(t, { config, flags: { "auth-config": auth } });
  const served = async (): Promise<object> => (await call(agent.base, "AdminService/GetConfig", {}, headers)).body;
  return { agent, served };
}

test("[AT15] GetConfig returns the document in use, never one that was refused or not read yet", async (t) => {
  const file = join(tempFolder(t, "config"), "config.cue");
  const [first, second, third] = [document("web1"), document("web2"), document("web3")];
  writeFileSync(file, first);
  const { agent, served } = await start(t, file);
  assert.deepEqual(await served(), { cue: first, changedOnDisk: false });
  writeFileSync(file, second);
  assert.deepEqual(await served(), { cue: first, changedOnDisk: true });
  agent.signal("SIGHUP");
  await until("the document is in use", async () => JSON.stringify(await served()).includes("web2"));
  assert.deepEqual(await served(), { cue: second, changedOnDisk: false });
  writeFileSync(file, "hosts: {\n");
  agent.signal("SIGHUP");
  await until("the refusal is logged", () => /was refused/.test(agent.output()));
  assert.deepEqual(await served(), { cue: second, changedOnDisk: true });
  rmSync(file);
  assert.deepEqual(await served(), { cue: second, changedOnDisk: true });
  writeFileSync(file, second);
  assert.equal((await call(agent.base, "AdminService/ApplyConfig", { cue: third }, headers)).ok, true);
  assert.deepEqual(await served(), { cue: third, changedOnDisk: false });
  assert.equal(readFileSync(file, "utf8"), third);
  assert.equal((await call(agent.base, "AdminService/ApplyConfig", { cue: "hosts: 1" }, headers)).ok, false);
  assert.deepEqual(await served(), { cue: third, changedOnDisk: false });
});

test("[AT15] a folder of documents has no document to return", async (t) => {
  const folder = join(tempFolder(t, "config"), "folder");
  mkdirSync(folder);
  for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.cue`), document(name));
  const { agent, served } = await start(t, `${folder}/`);
  assert.equal(((await served()) as { code?: string }).code, "internal");
  const applied = await call(agent.base, "AdminService/ApplyConfig", { cue: document("c") }, headers);
  assert.equal((applied.body as { code?: string }).code, "internal");
});
