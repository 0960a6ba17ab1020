import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { outputOf } from "../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator } from "../run/processes.ts";

const config = `hosts: web1: {address: "192.0.2.1", check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}}
receivers: prom: {type: "alertmanager", host: "node", service: "alertname"}
`;

test("[AR19] an aggregator lists the alerts of its realms that are about no object", async (t) => {
  const nats = await startNats(t);
  const flags = { "nats-url": nats.url };
  const realms = `realms: {fra: {}, ams: {}}\n`;
  const [aggregator, fra] = await Promise.all([
    startTestAggregator(t, { realms, flags }),
    startTestAgent(t, { config, realm: "fra", flags }),
  ]);
  const alert = { labels: { alertname: "Odd", node: "web9" } };
  const posted = await fetch(`${fra.base}/api/v2/alerts`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify([alert]),
  });
  assert.equal(posted.status, 200);
  const listed = await until("the alert at the aggregator", async () => {
    const { body } = await call(aggregator.base, "QueryService/GetServerInfo");
    return body["unmappedAlerts"] as { realm: string; receiver: string; labels: object }[] | undefined;
  });
  assert.deepEqual(
    listed.map(({ realm, receiver, labels }) => [realm, receiver, labels]),
    [["fra", "prom", alert.labels]],
  );
  const server = { REALMWATCH_SERVER: aggregator.base, NO_COLOR: "1" };
  const line =
    /^an alert of receiver prom in realm fra is about no object, last seen \d+s ago: alertname=Odd, node=web9$/m;
  assert.match(await outputOf(["status"], server), line);
  assert.match(await outputOf(["status", "-realm", "fra"], server), line);
  assert.doesNotMatch(await outputOf(["status", "-realm", "ams"], server), /about no object/);
});
