import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { type TestContext, test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { type TestScope, type TestProgram, startTestAgent, tempFolder } from "../../run/processes.ts";
import { sendCommand, statusRows, serviceTarget } from "../../run/rows.ts";

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

test("F42, I12: killed while it applies, the file is the old or the new one, whole, and what runs is what it says", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  const documents = [documentOf("a"), documentOf("a", "b")];
  for (let round = 0; round < 6; round += 1) {
    const cue = documents[(round + 1) % 2] ?? "";
    const applied = call(agent.base, "AdminService/ApplyConfig", { cue }, bearer).then(
      ({ ok }) => ok,
      () => undefined,
    );
    // The load takes most of a second; the rest of the rounds hit the write and the swap.
    await new Promise((go) => setTimeout(go, 150 + round * 170));
    await agent.stop("SIGKILL");
    const served = readFileSync(config, "utf8");
    assert.ok(documents.includes(served), served);
    if ((await applied) === true) assert.equal(served, cue, "what was accepted is there");
    await agent.restart();
    const names = Object.keys(await rows()).sort();
    assert.deepEqual(names, served === documents[0] ? ["web1", "web1!a"] : ["web1", "web1!a", "web1!b"]);
  }
});

test("F41: reloads in a row, good and broken, half-written and missing, lose no soft attempt and settle on the last good one", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  const { object } = serviceTarget("web1", "a");
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
  await until("the second attempt", async () => (await rows())["web1!a"]?.attempt === 2);
  const metrics = async () => (await fetch(`${agent.base}/metrics`)).text();
  writeFileSync(config, "hosts: {");
  agent.signal("SIGHUP");
  await until("a broken document is counted", async () => {
    const text = await metrics();
    return /^realmwatch_config_last_reload_successful 0$/m.test(text) && /outcome="refused"\} 1$/m.test(text);
  });
  const good = documentOf("a", "last");
  const offers = [documentOf("a", "b"), "hosts: {", good.slice(0, 40), documentOf("a"), `hosts: web1: {address: 1}\n`];
  for (let n = 0; n < 50; n += 1) {
    const offer = offers[n % offers.length] ?? "";
    if (n % 17 === 16) unlinkSync(config);
    else writeFileSync(config, offer);
    agent.signal("SIGHUP");
    if (n % 5 === 0) await rows();
  }
  writeFileSync(config, good);
  agent.signal("SIGHUP");
  await until("the last document runs", async () => (await rows())["web1!last"] !== undefined, { withinMs: 90_000 });
  const row = (await rows())["web1!a"];
  assert.deepEqual([row?.status, row?.stateType, row?.attempt], ["STATUS_CRITICAL", "STATE_TYPE_SOFT", 2]);
  assert.match(await metrics(), /^realmwatch_config_last_reload_successful 1$/m);
});

const apply = (agent: TestProgram, cue: string) => call(agent.base, "AdminService/ApplyConfig", { cue }, bearer);
const served = async (agent: TestProgram): Promise<string> =>
  String((await call(agent.base, "AdminService/GetConfig", {}, bearer)).body["cue"]);

test("F42: a document is served and written byte for byte, whatever its lines end with", async (t) => {
  const { agent, config, rows } = await startWith(t, documentOf("a"));
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
  // A document that begins with a byte order mark is taken as it is, or refused and changes nothing.
  const marked = `\uFEFF${documentOf("a", "mark")}`;
  const before = readFileSync(config);
  const answer = await apply(agent, marked);
  assert.deepEqual(readFileSync(config), answer.ok ? Buffer.from(marked) : before);
  if (answer.ok) assert.equal(await served(agent), marked);
});

test("F42, I12: two that apply and signals at once leave the file and what runs the same", async (t) => {
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
      "what the file says runs",
      async () =>
        Object.keys(await rows())
          .sort()
          .join() === `web1,web1!a,${last}`,
    );
  }
});

/**
 * Mounts a file over itself, as containers mount single files; the answer is false where that may not be. Ask for it
 * before there is the file: what is mounted has to go before its folder does.
 */
function fileMounts(t: TestContext): (file: string, ...options: readonly string[]) => boolean {
  const mounted: string[] = [];
  t.after(() => {
    for (const file of mounted) spawnSync("umount", ["-l", file]);
  });
  return (file, ...options) => {
    if (process.getuid?.() !== 0 || spawnSync("mount", ["--bind", file, file]).status !== 0) return false;
    mounted.push(file);
    return options.length === 0 || spawnSync("mount", ["-o", options.join(","), file]).status === 0;
  };
}

test("F42, I12: a file that is a mount of its own is written in place, and a crash in the middle is made good", async (t) => {
  const mount = fileMounts(t);
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  if (!mount(config)) return t.skip("needs root, to mount a file over itself");
  assert.throws(() => renameSync(config, `${config}.moved`), /EBUSY/);
  const text = documentOf("a", "mounted");
  const answer = await apply(agent, text);
  assert.ok(answer.ok, answer.message);
  assert.equal(readFileSync(config, "utf8"), text);
  assert.deepEqual([existsSync(`${config}.new`), existsSync(`${config}.replacing`)], [false, false]);
  await agent.stop("SIGKILL");
  // As it is left by a crash after the old text was cut off and half of the new one was written.
  const next = documentOf("a", "next");
  writeFileSync(`${config}.replacing`, next);
  writeFileSync(config, next.slice(0, 40));
  await agent.restart();
  assert.equal(readFileSync(config, "utf8"), next);
  assert.equal(existsSync(`${config}.replacing`), false);
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!a", "web1!next"]);
});

test("F42: a file that is mounted read-only answers internal without a detail, and what runs stays", async (t) => {
  const mount = fileMounts(t);
  const { agent, config, rows } = await startWith(t, documentOf("a"));
  if (!mount(config, "remount", "bind", "ro")) return t.skip("needs root, to mount a file read-only");
  const answer = await apply(agent, documentOf("a", "never"));
  assert.deepEqual([answer.code, answer.message], ["internal", "internal error"]);
  assert.equal(answer.body["details"], undefined);
  assert.equal(readFileSync(config, "utf8"), documentOf("a"));
  assert.deepEqual(Object.keys(await rows()).sort(), ["web1", "web1!a"]);
});
