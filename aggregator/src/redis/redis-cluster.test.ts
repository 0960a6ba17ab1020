import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { everyRow, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { openTestRedis } from "./redis.fixture.ts";
import { startRedisCluster } from "./redis-cluster.fixture.ts";

const realms = ["eu", "us", "ap"];

test("[RS11, RS15] a Redis Cluster stores each realm on one node, and every script finds its keys", async () => {
  await using cluster = await startRedisCluster(2);
  const { model, replica, store, close } = await openTestRedis({
    url: cluster.url,
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
      catalogParts: [],
      records: [{ realm, seq: 1, atMs: systemClock.now(), type: "config" }],
    });
  }
  await until("all realms are loaded", () => realms.every((realm) => replica.state(realm) === "loaded"));
  await until("all rows are loaded", () => model.size === realms.length);
  const status = await model.status(everyRow);
  assert.deepEqual(status.ok && status.value.rows.map((row) => row.realm).sort(), [...realms].sort());
  const nodes = await Promise.all(cluster.clients.map((client) => client.dbsize()));
  assert.ok(
    nodes.every((keys) => keys > 0),
    `keys of the nodes: ${nodes}`,
  );
  await store.forget("us");
  await until("us is missing", () => replica.state("us") === "missing");
  const left = await Promise.all(cluster.clients.map((client) => client.keys("*{us}*")));
  assert.deepEqual(left.flat(), []);
  await close();
});
