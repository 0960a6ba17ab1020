import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { call } from "../run/call.ts";
import { type Owner, startAgent, tempFolder } from "../run/processes.ts";
import { command, rowsOf, serviceTarget } from "../run/rows.ts";
import { until } from "../run/until.ts";

const token = "an-admin-token-0123456789abcdefghij";
const bearer = { authorization: `Bearer ${token}` };
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 3, flap: {}}`;
const documentOf = (...services: string[]): string =>
  [
    `hosts: web1: {address: "127.0.0.1", ${passive}}`,
    ...services.map((name) => `hosts: web1: services: ${name}: {${passive}}`),
    "",
  ].join("\n");

async function startWith(owner: Owner, document: string) {
  const folder = tempFolder(owner, "configuration");
  const [config, auth] = [`${folder}/config.cue`, `${folder}/auth.cue`];
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: root: {role: "admin", token_hash: "sha256:${digest}"}\n`);
  writeFileSync(config, document);
  const agent = await startAgent(owner, { config, flags: { "auth-config": auth } });
  return { agent, config, rows: () => rowsOf(agent.base, {}, bearer) };
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
  await command(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
  await command(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL" }, bearer);
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
  await until("the last document runs", async () => (await rows())["web1!last"] !== undefined, { limitMs: 90_000 });
  const row = (await rows())["web1!a"];
  assert.deepEqual([row?.status, row?.stateType, row?.attempt], ["STATUS_CRITICAL", "STATE_TYPE_SOFT", 2]);
  assert.match(await metrics(), /^realmwatch_config_last_reload_successful 1$/m);
});
