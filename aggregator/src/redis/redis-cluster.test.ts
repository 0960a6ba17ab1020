import assert from "node:assert/strict";
import { test } from "node:test";
import { freePort, startRedisServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { everyRow, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { Redis } from "ioredis";
import { openTestRedis } from "./redis.fixture.ts";

const realms = ["eu", "us", "ap"];

test("a Redis Cluster stores each realm on one node, and every script finds its keys", {
  timeout: 30_000,
}, async () => {
  // The default cluster port, 10 000 above the data port, may be in use or beyond the last port.
  const [bus, otherBus] = [String(await freePort()), String(await freePort())];
  await using one = await startRedisServer(["--cluster-enabled", "yes", "--cluster-port", bus]);
  await using two = await startRedisServer(["--cluster-enabled", "yes", "--cluster-port", otherBus]);
  const [first, second] = [new Redis(one.url), new Redis(two.url)];
  await first.call("CLUSTER", "ADDSLOTSRANGE", "0", "8191");
  await second.call("CLUSTER", "ADDSLOTSRANGE", "8192", "16383");
  await first.call("CLUSTER", "MEET", "127.0.0.1", String(two.port), otherBus);
  await until("the first node is ready", async () =>
    /cluster_state:ok/.test(String(await first.call("CLUSTER", "INFO"))),
  );
  await until("the second node is ready", async () =>
    /cluster_state:ok/.test(String(await second.call("CLUSTER", "INFO"))),
  );

  const { model, replica, store, close } = await openTestRedis({
    url: `${one.url},${two.url}`,
    realms,
    generation: "1",
  });
  for (const realm of realms) {
    await store.beginBuild(realm, "g");
    await store.finishBuild(realm, "g", { part: "rows", storedAtMs: 1 });
    await store.write({
      realm,
      changes: [{ kind: "put", row: rowFor(realm, "web1") }],
      completeEpoch: 1,
      catalog: undefined,
      records: [{ realm, seq: 1, atMs: systemClock.now(), type: "config" }],
    });
  }
  await until("all realms are loaded", () => realms.every((realm) => replica.state(realm) === "loaded"));
  await until("all rows are loaded", () => model.size === realms.length);
  const status = await model.status(everyRow);
  assert.deepEqual(status.ok && status.value.rows.map((row) => row.realm).sort(), [...realms].sort());
  const nodes = await Promise.all([first.dbsize(), second.dbsize()]);
  assert.ok(
    nodes.every((keys) => keys > 0),
    `keys of the nodes: ${nodes}`,
  );
  await store.forget("us");
  await until("us is missing", () => replica.state("us") === "missing");
  await close();
  first.disconnect();
  second.disconnect();
});
