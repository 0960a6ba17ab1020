import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { fileScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import {
  makeTlsCertificates,
  type TlsCertificates,
} from "@realmwatch/shared/platform/testing/tls-certificates.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { RedisTlsFiles } from "./redis-clients.ts";
import { startRedisCluster } from "./redis-cluster.fixture.ts";
import { ReconnectingRedis } from "./redis-connection.ts";

const certificates = makeTlsCertificates(fileScope());

/** Arguments of a redis-server that takes only TLS connections on `port`, with client certificates. */
const serverArguments = (port: number, { ca, server }: TlsCertificates = certificates): readonly string[] => [
  ...["--port", "0", "--tls-port", String(port), "--tls-ca-cert-file", ca],
  ...["--tls-cert-file", server.cert, "--tls-key-file", server.key],
];

function open(url: string, tlsFiles?: RedisTlsFiles) {
  const logged: string[] = [];
  const note = (fields: object, text: string): void => void logged.push(`${JSON.stringify(fields)} ${text}`);
  const log = { info: note, warn: note } as unknown as Pick<Log, "info" | "warn">;
  const redis = new ReconnectingRedis({ url, ...(tlsFiles && { tlsFiles }), clock: systemClock, log });
  return Object.assign(redis, { logged, [Symbol.asyncDispose]: redis.close });
}
const isUp = (redis: ReturnType<typeof open>) =>
  until("connected", () => redis.outage() === undefined, { seen: redis.unavailableReason });

test("[RS10] a wrong password is reported as a refused login, without the password", async () => {
  await using server = await startRedisServer(["--requirepass", "right"]);
  const urlWith = (password: string) => server.url.replace("redis://", `redis://:${password}@`);
  await using wrong = open(urlWith("wr0ng"));
  await using without = open(server.url);
  for (const redis of [wrong, without]) {
    await until("refused", () => redis.outage()?.kind === "login", { seen: redis.unavailableReason });
    assert.match(redis.unavailableReason(), /^Redis at 127\.0\.0\.1:\d+ refuses the login: (WRONGPASS|NOAUTH)/);
    assert.match(redis.logged.join("\n"), /the login is refused/);
    assert.doesNotMatch(redis.logged.join("\n") + redis.unavailableReason(), /wr0ng/);
  }
  await using right = open(urlWith("right"));
  await isUp(right);
});

test("[RS10] an unknown authority and a missing client certificate are reported as such", async () => {
  const port = await freePort();
  await using _server = await startRedisServer(serverArguments(port));
  const url = `redis://127.0.0.1:${port}`;
  const { ca, client } = certificates;
  await using unknown = open(url.replace("redis:", "rediss:"));
  await using anonymous = open(url, { ca, cert: "", key: "" });
  for (const redis of [unknown, anonymous]) {
    await until("refused", () => redis.outage()?.kind === "tls", { seen: redis.unavailableReason });
    assert.match(redis.unavailableReason(), /no trusted TLS connection.*-redis-ca/);
    assert.match(redis.logged.join("\n"), /no trusted TLS connection/);
  }
  await using trusted = open(url, { ca, ...client });
  await isUp(trusted);
  assert.equal(await trusted.client.ping(), "PONG");
});

test("[FD88] renewed files are used without a restart, also after a connection with files that do not fit each other", async (t) => {
  const renewed = makeTlsCertificates(t);
  const port = await freePort();
  await using server = await startRedisServer(serverArguments(port, renewed));
  const { ca, client } = renewed;
  await using redis = open(`redis://127.0.0.1:${port}`, { ca, ...client });
  await isUp(redis);
  const oldKey = readFileSync(client.key);
  renewed.renew();
  const newKey = readFileSync(client.key);
  writeFileSync(client.key, oldKey);
  await server.restart();
  await until("the pair is refused", () => /mismatch/.test(redis.unavailableReason()), {
    seen: redis.unavailableReason,
  });
  writeFileSync(client.key, newKey);
  await isUp(redis);
  assert.equal(await redis.client.ping(), "PONG");
  const messages: string[] = [];
  redis.subscribe("news", (message) => messages.push(message));
  await until("the subscriber is connected too", async () => {
    await redis.client.publish("news", "x");
    return messages.length > 0;
  });
});

test("[RS11] one address of a cluster is enough: the other nodes are found and moved keys are followed", async () => {
  await using cluster = await startRedisCluster(3);
  await using redis = open(cluster.nodes[1]?.url ?? "");
  await isUp(redis);
  assert.equal(redis.isCluster, true);
  const keys = Array.from({ length: 30 }, (_, at) => `k${at}`);
  for (const key of keys) await redis.client.set(key, key);
  const sizes = await Promise.all(cluster.clients.map((client) => client.dbsize()));
  assert.ok(
    sizes.every((size) => size > 0),
    `keys of the nodes: ${sizes}`,
  );
  const messages: string[] = [];
  redis.subscribe("news", (message) => messages.push(message));
  await until("a message of any node arrives", async () => {
    await cluster.clients[0]?.publish("news", "one");
    return messages.length > 0;
  });

  // Keys that move while the aggregator runs are followed.
  const slot = String(await cluster.clients[0]?.call("CLUSTER", "KEYSLOT", "later"));
  const from = Number(
    await cluster.clients.reduce(async (found, client, at) => {
      const owner = /myself.*/.exec(String(await client.call("CLUSTER", "NODES")))?.[0] ?? "";
      const [low = 0, high = -1] = (/(\d+)-(\d+)$/.exec(owner) ?? []).slice(1).map(Number);
      return Number(slot) >= low && Number(slot) <= high ? at : found;
    }, Promise.resolve(-1)),
  );
  const to = (from + 1) % 3;
  const id = String(await cluster.clients[to]?.call("CLUSTER", "MYID"));
  for (const at of [to, from]) await cluster.clients[at]?.call("CLUSTER", "SETSLOT", slot, "NODE", id);
  await until("the key is written to its new node", async () => {
    await redis.client.set("later", "x");
    return (await cluster.clients[to]?.get("later")) === "x";
  });
});

test("[RS12] a dead node of a cluster is named, and the others go on", async () => {
  await using cluster = await startRedisCluster(3);
  await using redis = open(cluster.url);
  await isUp(redis);
  const dead = await cluster.nodeOf("eu");
  const address = `127.0.0.1:${cluster.nodes[dead]?.port}`;
  const living = ["a", "b", "c", "d", "e", "f", "g"];
  const owners = await Promise.all(living.map((realm) => cluster.nodeOf(realm)));
  const alive = living.filter((_, at) => owners[at] !== dead);
  await cluster.nodes[dead]?.stop("SIGKILL");
  await until("the dead node is named", () => redis.deadNodes().includes(address), { seen: redis.deadNodes });
  assert.equal(redis.unavailableReason(), "");
  for (const realm of alive) await redis.client.set(`{${realm}}`, "x");
  await assert.rejects(redis.client.set("{eu}", "x"));
  await cluster.nodes[dead]?.restart();
});
