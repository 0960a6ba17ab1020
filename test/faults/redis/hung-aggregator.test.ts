import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { hostAt, passiveHosts, setHost, untilRealmIs } from "./redis-faults.ts";

const hosts = 10;

test("[FE8] what a hung aggregator had received shows at the other one", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const start = () => startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const [one, two] = [await start(), await start()];
  const agent = await startTestAgent(t, { config: passiveHosts(hosts), realm: "fra", flags: { "nats-url": nats.url } });
  for (const on of [one, two]) await untilRealmIs(on, { realm: "fra", freshness: "CURRENT", rows: hosts });
  one.signal("SIGSTOP");
  t.after(() => one.signal("SIGCONT"));
  const startedMs = performance.now();
  for (let at = 0; at < hosts; at += 1) await setHost(agent, `h${at}`, "CRITICAL");
  await until("all rows are shown", async () => {
    const rows = await Promise.all(Array.from({ length: hosts }, (_, at) => hostAt(two, "fra", `h${at}`)));
    return rows.every((row) => row?.status === "STATUS_CRITICAL");
  });
  t.diagnostic(`shown after ${Math.round(performance.now() - startedMs)} ms`);
  await untilRealmIs(two, { realm: "fra", freshness: "CURRENT", rows: hosts });
  one.signal("SIGCONT");
  await untilRealmIs(one, { realm: "fra", freshness: "CURRENT", rows: hosts });
  assert.equal((await hostAt(one, "fra", "h1"))?.status, "STATUS_CRITICAL");
});
