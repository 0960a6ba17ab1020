import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { call } from "../../run/call.ts";
import {
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { findRealmAt, hostAt, passiveHosts, setHost, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 4;

test("[RS15, RS16] two aggregators change the realms document one after the other: no row of a listed realm is wrong", {
  timeout: 120_000,
}, async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  t.after(() => client.disconnect());
  const folder = tempFolder(t);
  const document = (name: string, ...realms: string[]): string => {
    const path = join(folder, `${name}.cue`);
    writeFileSync(path, `realms: {${realms.map((realm) => `${realm}: {}`).join(", ")}}\n`);
    return path;
  };
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) => startTestAggregator(t, { realms: document(name, "kept", "gone"), flags })),
  );
  assert.ok(one && two);
  const agentOf = async (realm: string) =>
    startTestAgent(t, { config: passiveHosts(hosts), realm, flags: { "nats-url": nats.url } });
  const [kept, gone, added] = await Promise.all([agentOf("kept"), agentOf("gone"), agentOf("added")]);
  for (const realm of ["kept", "gone"])
    for (const on of [one, two]) await untilRealmIs(on, { realm, freshness: "CURRENT", rows: hosts });

  // Results of all realms go on during the change.
  let round = 0;
  const results = new AbortController();
  const flow = (async () => {
    while (!results.signal.aborted) {
      round += 1;
      for (const agent of [kept, gone, added])
        await setHost(agent, `h${round % hosts}`, round % 2 === 0 ? "OK" : "CRITICAL", `round ${round}`);
    }
  })();
  const reload = async (on: typeof one, name: string, realms: readonly string[]): Promise<void> => {
    document(name, ...realms);
    on.signal("SIGHUP");
    await until("the document is in use", async () => (await findRealmAt(on, "added")) !== undefined, withinAMinute);
  };
  await reload(two, "two", ["kept", "added"]);
  await untilRealmIs(two, { realm: "added", freshness: "CURRENT", rows: hosts });
  await until("rounds with different documents", () => round > 60);
  // The realms of either document are right while the documents differ.
  for (const [on, realm] of [
    [one, "kept"],
    [one, "gone"],
    [two, "kept"],
    [two, "added"],
  ] as const)
    await untilRealmIs(on, { realm, freshness: "CURRENT", rows: hosts });
  assert.ok((await client.keys("rw:*{gone}*")).length > 0, "the other aggregator lists it");
  await reload(one, "one", ["kept", "added"]);
  const end = round + 30;
  await until("rounds with the new document", () => round > end);
  results.abort();
  await flow;

  for (const on of [one, two])
    for (const [realm, agent] of [
      ["kept", kept],
      ["added", added],
    ] as const) {
      await untilRealmIs(on, { realm, freshness: "CURRENT", rows: hosts });
      for (let at = 0; at < hosts; at += 1)
        await until(
          `h${at} is the realm's own`,
          async () => {
            const own = await hostAtAgent(agent, `h${at}`);
            return own !== undefined && (await hostAt(on, realm, `h${at}`))?.output === own;
          },
          withinAMinute,
        );
    }
  await until(
    "the removed realm's keys are deleted",
    async () => (await client.keys("rw:*{gone}*")).length === 0,
    withinAMinute,
  );
});

async function hostAtAgent({ base }: TestProgram, host: string): Promise<string | undefined> {
  const { body } = await call(base, "QueryService/ListStatus", { object: { host: { name: host } } });
  return ((body["rows"] as { output?: string }[] | undefined) ?? [])[0]?.output;
}
