import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, lstatSync, readFileSync, renameSync, symlinkSync, unlinkSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../../run/rows.ts";

const token = "an-admin-token-0123456789abcdefghij";
const bearer = { authorization: `Bearer ${token}` };
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {}}`;
const documentOf = (...services: string[]): string =>
  [
    `hosts: web1: {address: "127.0.0.1", ${passive}}`,
    ...services.map((name) => `hosts: web1: services: ${name}: {${passive}}`),
    "",
  ].join("\n");

async function startWith(scope: TestScope, document: string) {
  const folder = tempFolder(scope, "configuration");
  const [config, auth] = [`${folder}/config.cue`, `${folder}/auth.cue`];
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: root: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  writeFileSync(config, document);
  const agent = await startTestAgent(scope, { config, flags: { "auth-config": auth } });
  return { agent, config, rows: () => statusRows(agent.base, {}, bearer) };
}

test("[RL10] after a kill while a document is applied, the file is the old or the new one, complete, and in use", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  const documents = [documentOf("a"), documentOf("a", "b")];
  for (let round = 0; round < 6; round += 1) {
    const cue = documents[(round + 1) % 2] ?? "";
    const applied = call(agent.base, "AdminService/ApplyConfig", { cue }, bearer).then(
      ({ ok }) => ok,
      () => undefined,
    );
    // Loading takes most of a second; later rounds hit the write and the swap.
    await new Promise((go) => setTimeout(go, 150 + round * 170));
    await agent.stop("SIGKILL");
    const served = readFileSync(config, "utf8");
    assert.ok(documents.includes(served), served);
    if ((await applied) === true) assert.equal(served, cue, "an applied document is in the file");
    await agent.restart();
    const names = Object.keys(await rows()).sort();
    assert.deepEqual(names, served === documents[0] ? ["web1", "web1!a"] : ["web1", "web1!a", "web1!b"]);
  }
});

test("[RL1, RL4] fifty reloads with valid, invalid, truncated and missing documents keep soft attempts and end with the last valid one", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  const { object } = serviceTarget("web1", "a");
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
  await until("the second attempt", async () => (await rows())["web1!a"]?.attempt === 2);
  const metrics = async () => (await fetch(`${agent.base}/metrics`)).text();
  writeFileSync(config, "hosts: {");
  agent.signal("SIGHUP");
  await until("an invalid document is counted", async () => {
    const text = await metrics();
    return /^realmwatch_config_last_reload_successful 0$/m.test(text) && /outcome="refused"\} 1$/m.test(text);
  });
  const lastValid = documentOf("a", "last");
  const candidates = [
    documentOf("a", "b"),
    "hosts: {",
    lastValid.slice(0, 40),
    documentOf("a"),
    `hosts: web1: {address: 1}\n`,
  ];
  for (let n = 0; n < 50; n += 1) {
    const text = candidates[n % candidates.length] ?? "";
    if (n % 17 === 16) unlinkSync(config);
    else writeFileSync(config, text);
    agent.signal("SIGHUP");
    if (n % 5 === 0) await rows();
  }
  writeFileSync(config, lastValid);
  agent.signal("SIGHUP");
  await until("the last document runs", async () => (await rows())["web1!last"] !== undefined, { withinMs: 90_000 });
  const row = (await rows())["web1!a"];
  assert.deepEqual([row?.status, row?.stateType, row?.attempt], ["STATUS_CRITICAL", "STATE_TYPE_SOFT", 2]);
  // Metrics are rendered once a second.
  await until("the last reload is counted", async () =>
    /^realmwatch_config_last_reload_successful 1$/m.test(await metrics()),
  );
});

const apply = (agent: TestProgram, cue: string) => call(agent.base, "AdminService/ApplyConfig", { cue }, bearer);
const served = async (agent: TestProgram): Promise<string> =>
  String((await call(agent.base, "AdminService/GetConfig", {}, bearer)).body["cue"]);

/** File outside of the document's folder. Its text is a document: an agent that reads it through a link has the service `precious`. */
function linkTarget(scope: TestScope) {
  const [path, text] = [`${tempFolder(scope, "target")}/precious.cue`, documentOf("precious")];
  writeFileSync(path, text);
  return { path, text };
}

test("[RL5, PT7] a document is returned and written byte for byte, with any line ends, and through no link beside it", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  const target = linkTarget(t);
  const links = [`${config}.new`, `${config}.replacing`];
  for (const link of links) symlinkSync(target.path, link);
  const texts = [
    ["CRLF", documentOf("a", "crlf").replaceAll("\n", "\r\n")],
    ["no newline at its end", documentOf("a", "bare").trimEnd()],
    ["blanks and a comment at its end", `${documentOf("a", "blank")}\t \n\n// ünïcode ✓`],
  ] as const;
  for (const [name, text] of texts) {
    const answer = await apply(agent, text);
    assert.ok(answer.ok, `${name}: ${answer.message}`);
    assert.deepEqual(readFileSync(config), Buffer.from(text), name);
    assert.equal(await served(agent), text, name);
  }
  await agent.stop("SIGKILL");
  await agent.restart();
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!a", "web1!blank"]);
  assert.equal(readFileSync(target.path, "utf8"), target.text);
  for (const link of links) assert.ok(lstatSync(link).isSymbolicLink(), link);
  // A document with a byte order mark is accepted unchanged, or refused without effect.
  const marked = `\uFEFF${documentOf("a", "mark")}`;
  const before = readFileSync(config);
  const answer = await apply(agent, marked);
  assert.deepEqual(readFileSync(config), answer.ok ? Buffer.from(marked) : before);
  if (answer.ok) assert.equal(await served(agent), marked);
});

test("[RL5, RL10] after concurrent applications and signals the file is the configuration in use", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  for (let round = 0; round < 3; round += 1) {
    const [one, other] = [documentOf("a", `x${round}`), documentOf("a", `y${round}`)];
    const both = Promise.all([apply(agent, one), apply(agent, other)]);
    agent.signal("SIGHUP");
    assert.deepEqual(
      (await both).map(({ ok }) => ok),
      [true, true],
    );
    agent.signal("SIGHUP");
    const text = readFileSync(config, "utf8");
    assert.ok(text === one || text === other, text);
    assert.equal(await served(agent), text);
    const last = text === one ? `web1!x${round}` : `web1!y${round}`;
    await until(
      "the document of the file is in use",
      async () =>
        Object.keys(await rows())
          .sort()
          .join() === `web1,web1!a,${last}`,
    );
  }
});

/** Mounts a file over itself, as containers mount single files. Returns false when that is not permitted. */
function mountFile(t: TestContext, file: string, ...options: readonly string[]): boolean {
  if (process.getuid?.() !== 0 || spawnSync("mount", ["--bind", file, file]).status !== 0) return false;
  atEnd(t, () => spawnSync("umount", ["-l", file]));
  return options.length === 0 || spawnSync("mount", ["-o", options.join(","), file]).status === 0;
}

test("[RL11, PT7] a file that is a mount of its own is written in place, and a write interrupted by a crash is completed", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  if (!mountFile(t, config)) return t.skip("needs root, to mount a file over itself");
  assert.throws(() => renameSync(config, `${config}.moved`), /EBUSY/);
  const target = linkTarget(t);
  symlinkSync(target.path, `${config}.replacing`);
  const text = documentOf("a", "mounted");
  const answer = await apply(agent, text);
  assert.ok(answer.ok, answer.message);
  assert.equal(readFileSync(config, "utf8"), text);
  assert.deepEqual([existsSync(`${config}.new`), existsSync(`${config}.replacing`)], [false, false]);
  assert.equal(readFileSync(target.path, "utf8"), target.text);
  await agent.stop("SIGKILL");
  // State after a crash that truncated the old text and wrote a part of the new one.
  const next = documentOf("a", "next");
  writeFileSync(`${config}.replacing`, next);
  writeFileSync(config, next.slice(0, 40));
  await agent.restart();
  assert.equal(readFileSync(config, "utf8"), next);
  assert.equal(existsSync(`${config}.replacing`), false);
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!a", "web1!next"]);
});

test("[RL12] with a file that is mounted read-only, applying names the file and the configuration in use stays", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  if (!mountFile(t, config, "remount", "bind", "ro")) return t.skip("needs root, to mount a file read-only");
  const answer = await apply(agent, documentOf("a", "never"));
  const why = `the configuration ${config} cannot be replaced: its file system is read-only`;
  assert.deepEqual([answer.code, answer.message], ["failed_precondition", why]);
  assert.equal(answer.body["details"], undefined);
  assert.equal(readFileSync(config, "utf8"), documentOf("a"));
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!a"]);
});
