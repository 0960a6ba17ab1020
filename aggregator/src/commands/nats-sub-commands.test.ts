import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { connect } from "nats";
import { ReconnectingRedis } from "../redis/redis-connection.ts";
import { realmKeys } from "../redis/redis-keys.ts";
import { natsSubCommands } from "./nats-sub-commands.ts";

const noFiles = { natsCreds: undefined, natsCa: undefined, natsCert: undefined, natsKey: undefined };
const run = (command: keyof typeof natsSubCommands, values: object, words: readonly string[] = []) =>
  natsSubCommands[command].run({ words, values: { ...noFiles, ...values }, readStdin: async () => "" });
const at = (url: string) => ({ natsUrl: hideSecret(url) });

test("nats-setup creates the streams once and prints what it did", async () => {
  await using server = await startNatsServer();
  const made = await run("nats-setup", at(server.url));
  assert.match(made.ok ? made.value : "", /^stream SVC_STATE created: .*\nstream SVC_EVENTS created: /);
  assert.deepEqual(await run("nats-setup", at(server.url)), {
    ok: true,
    value: "the streams are as they should be: nothing was changed",
  });
});

test("nats-setup with a stream that captures the subjects ends with code 1 and names it", async () => {
  await using server = await startNatsServer();
  const connection = await connect({ servers: server.url });
  await (await connection.jetstreamManager()).streams.add({ name: "OTHER", subjects: ["svc.v1.event.*"] });
  const made = await run("nats-setup", at(server.url));
  assert.ok(!made.ok && typeof made.error === "object" && made.error.code === 1);
  assert.match(made.error.lines.join("\n"), /SVC_EVENTS cannot be created: stream OTHER captures/);
  await connection.close();
});

for (const [command, words] of [
  ["nats-setup", []],
  ["forget-realm", ["fra"]],
  ["nats-config", []],
  ["forget-realm", ["Fra"]],
] as const)
  test(`${command} ${words.join(" ")} without what it needs is refused with code 2 in one line`, async () => {
    const done = await run(command, { zones: [], accounts: false, force: false }, words);
    assert.ok(!done.ok && typeof done.error === "object");
    assert.deepEqual([done.error.code, done.error.lines.length], [2, 1]);
  });

test("nats-setup without a NATS server names it in one line", async () => {
  const done = await run("nats-setup", at("nats://127.0.0.1:1"));
  assert.match(!done.ok && typeof done.error === "string" ? done.error : "", /^NATS is away: /);
});

test("nats-config names an unusable realms document, and numbers zones whose variables would be equal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-nats-config-"));
  const realmsConfig = join(folder, "realms.cue");
  writeFileSync(realmsConfig, "realms: {}\n");
  const refused = await run("nats-config", { realmsConfig, zones: [], accounts: false });
  assert.ok(!refused.ok && typeof refused.error === "object" && refused.error.code === 1);
  writeFileSync(realmsConfig, 'realms: {"fra-1": {token_env: "NOT_SET_HERE"}}\n');
  const printed = await run("nats-config", { realmsConfig, zones: ["a.b", "a-b"], accounts: false });
  assert.match(printed.ok ? printed.value : "", /password: \$NATS_PASSWORD_REALM_FRA_1$/m);
  assert.match(printed.ok ? printed.value : "", /"worker-a-b"\n +password: \$NATS_PASSWORD_WORKER_A_B_2$/m);
});

test("the trial with containers uses what nats-config prints for its realms", async () => {
  const trial = fileURLToPath(new URL("../../../compose/trial", import.meta.url));
  const realmsConfig = join(trial, "realms.cue");
  const printed = await run("nats-config", { realmsConfig, zones: [], accounts: false, leafNodes: false });
  assert.equal(printed.ok && `${printed.value}\n`, readFileSync(join(trial, "nats.conf"), "utf8"));
});

test("forget-realm deletes a realm's messages and keys, and refuses a realm that is alive", async (t) => {
  await using server = await startNatsServer();
  await using redisServer = await startRedisServer();
  await run("nats-setup", at(server.url));
  const connection = await connect({ servers: server.url });
  const redis = new ReconnectingRedis({ url: redisServer.url, clock: systemClock, log: { info() {}, warn() {} } });
  t.after(() => Promise.all([redis.close(), connection.close()]));
  await until("Redis is connected", () => redis.unavailableReason() === "");
  for (const realm of ["fra", "fra-1"]) {
    for (const subject of [
      `state.${realm}.host.a`,
      `state.${realm}.epoch`,
      `catalog.${realm}.contact.0`,
      `event.${realm}`,
    ])
      await connection.jetstream().publish(`svc.v1.${subject}`, "x");
    await redis.client.hset(realmKeys("x", realm).rows, "a", "b");
  }
  const flags = { ...at(server.url), redisUrl: hideSecret(redisServer.url) };
  const beating = setInterval(() => connection.publish("svc.v1.heartbeat.fra", "x"), 50);
  t.after(() => clearInterval(beating));
  const refused = await run("forget-realm", { ...flags, force: false }, ["fra"]);
  assert.match(!refused.ok && typeof refused.error === "string" ? refused.error : "", /^realm fra is alive/);
  assert.deepEqual(await run("forget-realm", { ...flags, force: true }, ["fra"]), {
    ok: true,
    value: "realm fra is forgotten: 4 messages deleted, and its keys in Redis",
  });
  clearInterval(beating);
  const silent = await run("forget-realm", { ...flags, force: false }, ["ams"]);
  assert.ok(silent.ok);
  const jsm = await connection.jetstreamManager();
  const { state } = await jsm.streams.info("SVC_STATE", { subjects_filter: ">" });
  assert.deepEqual(Object.keys(state.subjects ?? {}).sort(), [
    "svc.v1.catalog.fra-1.contact.0",
    "svc.v1.state._forgotten.ams",
    "svc.v1.state._forgotten.fra",
    "svc.v1.state.fra-1.epoch",
    "svc.v1.state.fra-1.host.a",
  ]);
  assert.equal(await redis.client.exists(realmKeys("x", "fra").rows), 0);
  assert.equal(await redis.client.exists(realmKeys("x", "fra-1").rows), 1);
});
