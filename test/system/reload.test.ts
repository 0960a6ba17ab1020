import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Diagnostic } from "@realmwatch/shared/model/diagnostic";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { spawnProgram, startTcpTarget, startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { quickCheck as quick } from "../run/small-realm.ts";

const service = (name: string, address: string, more = quick): string =>
  `hosts: web1: services: "${name}": check: {type: "tcp", address: "${address}", ${more}}\n`;
const host = (address: string): string =>
  `hosts: web1: {address: "127.0.0.1", check: {type: "tcp", address: "${address}", ${quick}}}\n`;
const slow = `check_interval: "1h", retry_interval: "200ms", timeout: "20s", flap: {}`;

const token = "an-admin-token-0123456789abcdefghij";
const bearer = { authorization: `Bearer ${token}` };

async function startReloadable(scope: TestScope, more = "") {
  const target = await startTcpTarget(scope);
  const folder = tempFolder(scope, "reload");
  const [config, auth] = [`${folder}/config.cue`, `${folder}/auth.cue`];
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: root: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const first = host(target.address) + service("http", target.address) + service("old", target.address) + more;
  writeFileSync(config, first);
  const agent = await startTestAgent(scope, { config, flags: { "auth-config": auth } });
  await until(
    "the services are ok",
    async () => (await statusRows(agent.base, {}, bearer))["web1!http"]?.status === "STATUS_OK",
  );
  const rows = () => statusRows(agent.base, {}, bearer);
  const reload = (text: string) => {
    writeFileSync(config, text);
    agent.signal("SIGHUP");
  };
  return { agent, target, config, first, rows, reload };
}

test("[RL1, RL2] SIGHUP: unchanged objects keep their state, new ones are checked, removed ones are deleted", async (t) => {
  const { agent, target, rows, reload } = await startReloadable(t);
  const http = serviceTarget("web1", "http");
  await sendCommand(agent.base, "AddComment", { target: http, author: "ann", text: "kept" }, bearer);
  await sendCommand(
    agent.base,
    "SetObjectToggle",
    { target: http, toggle: "OBJECT_TOGGLE_FLAP_DETECTION", enabled: false },
    bearer,
  );
  reload(host(target.address) + service("http", target.address) + service("new", target.address));
  await until("the new service is checked", async () => (await rows())["web1!new"]?.status === "STATUS_OK");
  const after = await rows();
  assert.deepEqual(Object.keys(after).sort(), ["web1", "web1!http", "web1!new"]);
  assert.equal(after["web1!http"]?.comments?.[0]?.text, "kept");
  const history = await call(agent.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_CONFIG"] }, bearer);
  assert.match(JSON.stringify(history.body), /\+1 service, -1 service/);
  await agent.stop("SIGKILL");
  await agent.restart();
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!http", "web1!new"]);
});

test("[RL3] a changed check runs within a retry interval, and its state stays", async (t) => {
  const { agent, target, rows, reload } = await startReloadable(t);
  const closed = await startTcpTarget(t);
  await closed.close();
  reload(host(target.address) + service("http", closed.address, slow) + service("old", target.address));
  await until("the new check has a result", async () => (await rows())["web1!http"]?.status === "STATUS_CRITICAL");
  assert.match(agent.output(), /"changes":"1 check changed"/);
});

test("[RL4] an invalid document changes nothing, and over the API returns its diagnostics as a detail", async (t) => {
  const { agent, config, first, rows, reload } = await startReloadable(t);
  reload("hosts: web1: {\n");
  await until("the refusal is logged", () => /was refused/.test(agent.output()));
  assert.equal(Object.keys(await rows()).length, 3);
  writeFileSync(config, first);
  const cue = `hosts: web1: {address: "a", check: {type: "ftp", flap: {}}}\n`;
  for (const rpc of ["ValidateConfig", "ApplyConfig"]) {
    const refused = await call(agent.base, `AdminService/${rpc}`, { cue }, bearer);
    assert.equal(refused.code, "invalid_argument");
    const [detail] = refused.body["details"] as { type: string; debug: { diagnostics: Diagnostic[] } }[];
    assert.equal(detail?.type, "svc.v1.ConfigDiagnostics");
    const diagnostic = detail?.debug.diagnostics[0];
    assert.deepEqual([diagnostic?.file, diagnostic?.line], ["config.cue", 1]);
    assert.match(diagnostic?.message ?? "", /ftp/);
    const missing = await call(agent.base, `AdminService/${rpc}`, {}, bearer);
    assert.deepEqual([missing.code, missing.body["details"]], ["invalid_argument", undefined]);
  }
  assert.equal(readFileSync(config, "utf8"), first);
  assert.equal(Object.keys(await rows()).length, 3);
});

test("[RL5] ApplyConfig writes the document byte for byte before it is in use, and GetConfig returns it", async (t) => {
  const { agent, target, config, first, rows } = await startReloadable(t);
  const got = await call(agent.base, "AdminService/GetConfig", {}, bearer);
  assert.equal(got.body["cue"], first);
  const cue = `// é, a tab\tand CRLF\r\n${host(target.address)}${service("only", target.address)}`;
  assert.deepEqual((await call(agent.base, "AdminService/ValidateConfig", { cue }, bearer)).body, {});
  assert.equal(readFileSync(config, "utf8"), first, "validation writes nothing");
  await sendCommand(agent.base, "AdminService/ApplyConfig", { cue }, bearer);
  assert.equal(readFileSync(config, "utf8"), cue);
  await until("the new document is in use", async () => Object.keys(await rows()).join() === "web1,web1!only");
});

test("[RL5] concurrent applications run one after the other", async (t) => {
  const { agent, target, config, rows } = await startReloadable(t);
  const documents = ["a", "b", "c"].map((name) => host(target.address) + service(name, target.address));
  await Promise.all(documents.map((cue) => sendCommand(agent.base, "AdminService/ApplyConfig", { cue }, bearer)));
  const served = readFileSync(config, "utf8");
  const name = ["a", "b", "c"][documents.indexOf(served)];
  await until(
    "the document of the file is in use",
    async () => Object.keys(await rows()).join() === `web1,web1!${name}`,
  );
});

test("[RL5, RL12] a link is followed, not replaced; a folder is read, and refused as a file to replace", async (t) => {
  const target = await startTcpTarget(t);
  const folder = tempFolder(t, "linked");
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(`${folder}/auth.cue`, `auth: root: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  const real = `${tempFolder(t, "real")}/real.cue`;
  writeFileSync(real, host(target.address), { mode: 0o640 });
  symlinkSync(real, `${folder}/link.cue`);
  const agent = await startTestAgent(t, {
    config: `${folder}/link.cue`,
    flags: { "auth-config": `${folder}/auth.cue` },
  });
  const cue = host(target.address) + service("x", target.address);
  await sendCommand(agent.base, "AdminService/ApplyConfig", { cue }, bearer);
  assert.equal(readFileSync(real, "utf8"), cue);
  const documents = tempFolder(t, "folder");
  writeFileSync(`${documents}/a.cue`, cue);
  chmodSync(documents, 0o755);
  const other = await startTestAgent(t, { config: `${documents}/`, flags: { "auth-config": `${folder}/auth.cue` } });
  const refused = await call(other.base, "AdminService/ApplyConfig", { cue }, bearer);
  assert.deepEqual([refused.code, refused.body["details"]], ["failed_precondition", undefined]);
  assert.match(refused.message, new RegExp(documents));
  assert.equal((await call(other.base, "AdminService/GetConfig", {}, bearer)).body["cue"], cue);
  assert.equal((await call(other.base, "AdminService/ValidateConfig", { cue }, bearer)).ok, true);
});

test("[RL21] a document that changes while the agent starts is in use when the start was signalled", async (t) => {
  const target = await startTcpTarget(t);
  const folder = tempFolder(t, "start");
  const [config, data] = [`${folder}/config.cue`, `${folder}/data`];
  writeFileSync(config, host(target.address));
  const port = await freePort();
  const agent = spawnProgram("agent", ["-config", config, "-data-dir", data, "-listen", `127.0.0.1:${port}`]);
  atEnd(t, () => void agent.kill("SIGKILL"));
  await until("the start has begun", () => existsSync(data));
  writeFileSync(config, host(target.address) + service("late", target.address));
  agent.kill("SIGHUP");
  const rows = () => statusRows(`http://127.0.0.1:${port}`).catch(() => undefined);
  await until("the changed document is in use", async () => (await rows())?.["web1!late"] !== undefined);
});
