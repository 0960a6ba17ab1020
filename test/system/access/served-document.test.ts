import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { newToken } from "@realmwatch/shared/identity/new-token";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { runRealmwatch } from "../../run/cli.ts";
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

const apply = (base: string, cue: string) => call(base, "AdminService/ApplyConfig", { cue }, headers);

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

type Answer = Awaited<ReturnType<typeof call>>;

/** Asserts that an application was refused because of `path`, that the running document stayed, and that it can be read. */
function assertRefused(answer: Answer, path: string, why: RegExp): void {
  assert.deepEqual([answer.http, answer.code], [400, "failed_precondition"], answer.message);
  assert.ok(answer.message.includes(path), answer.message);
  assert.match(answer.message, why);
}

test("[AT15, AT17] of a folder the running documents are read, and applying names it and changes nothing", async (t) => {
  const folder = join(tempFolder(t, "config"), "folder");
  mkdirSync(folder);
  for (const name of ["a", "b"]) writeFileSync(join(folder, `${name}.cue`), document(name));
  const { agent, served } = await start(t, `${folder}/`);
  const cue = `// a.cue\n${document("a")}\n// b.cue\n${document("b")}`;
  assert.deepEqual(await served(), { cue, changedOnDisk: false });
  assertRefused(await apply(agent.base, document("c")), folder, /it is a directory/);
  assert.deepEqual(readdirSync(folder), ["a.cue", "b.cue"]);
  assert.deepEqual(await served(), { cue, changedOnDisk: false });
  assert.ok((await call(agent.base, "AdminService/ValidateConfig", { cue: document("c") }, headers)).ok);
  writeFileSync(join(folder, "b.cue"), document("c"));
  assert.deepEqual(await served(), { cue, changedOnDisk: true });
});

test("[AT15, AT17] a file that was moved away, or replaced by a folder, is named, and the running document stays", async (t) => {
  const folder = tempFolder(t, "config");
  const file = join(folder, "config.cue");
  const [first, second] = [document("web1"), document("web2")];
  writeFileSync(file, first);
  const { agent, served } = await start(t, file);
  renameSync(file, `${file}.moved`);
  assert.deepEqual(await served(), { cue: first, changedOnDisk: true });
  assertRefused(await apply(agent.base, second), file, /there is no such file/);
  assert.deepEqual(readdirSync(folder), ["config.cue.moved"]);
  mkdirSync(file);
  assert.deepEqual(await served(), { cue: first, changedOnDisk: true });
  assertRefused(await apply(agent.base, second), file, /it is a directory/);
  assert.deepEqual(readdirSync(file), []);
  rmdirSync(file);
  renameSync(`${file}.moved`, file);
  assert.deepEqual(await served(), { cue: first, changedOnDisk: false });
  assert.ok((await apply(agent.base, second)).ok);
  assert.equal(readFileSync(file, "utf8"), second);
});

const hashOf = (text: string): string => `sha256:${createHash("sha256").update(text).digest("hex")}`;

test("[AU12] the record of an applied document has its hash before and after and the changes; of a refused one its hash", async (t) => {
  const secret = `contacts: ann: {type: "chat_webhook", webhook_url: "https://chat.example/a-canary"}\n`;
  const [first, second, third] = [document("web1"), document("web2") + document("web3") + secret, document("web3")];
  const { agent } = await start(t, first);
  assert.deepEqual((await apply(agent.base, second)).body, {});
  assert.ok((await apply(agent.base, third)).ok);
  assert.equal((await apply(agent.base, `${secret}hosts: 1`)).code, "invalid_argument");
  // The record of a refused call may be written after its answer.
  const records = await until("all three are recorded", async () => {
    const { body } = await call(agent.base, "AdminService/ListAuditRecords", {}, headers);
    const found = body["records"] as { commandJson: string; outcome: string }[];
    return found.length === 3 ? found : undefined;
  });
  const offered = (text: string) => ({ cue: `${hashOf(text)} (${text.length} characters)` });
  assert.deepEqual(
    records.map(({ outcome, commandJson }) => [outcome, JSON.parse(commandJson)]),
    [
      ["AUDIT_OUTCOME_REJECTED", offered(`${secret}hosts: 1`)],
      [
        "AUDIT_OUTCOME_ACCEPTED",
        {
          summary: "-1 host; -1 contact",
          ...{ added: 0, changed: 0, removed: 1, before: hashOf(second), after: hashOf(third) },
          ...offered(third),
        },
      ],
      [
        "AUDIT_OUTCOME_ACCEPTED",
        {
          summary: "+2 hosts, -1 host; +1 contact",
          ...{ added: 2, changed: 0, removed: 1, before: hashOf(first), after: hashOf(second) },
          ...offered(second),
        },
      ],
    ],
  );
  assert.doesNotMatch(JSON.stringify(records), /a-canary/);
  const { stdout } = await runRealmwatch(["audit", "-server", agent.base], { env: { REALMWATCH_TOKEN: token } });
  const short = (text: string): string => hashOf(text).slice("sha256:".length, "sha256:".length + 12);
  assert.ok(stdout.includes(`-1 host; -1 contact; document ${short(second)} -> ${short(third)}`), stdout);
  assert.ok(stdout.includes(`; document ${short(`${secret}hosts: 1`)}`), stdout);
});
