import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
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
import { findRealmAt, hostAt, passiveHosts, setHost, storedKeys, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const hosts = 4;
const hourMs = 3_600_000;

test("[RS15, RS16] two aggregators change the realms document one after the other: no row of a listed realm is wrong", {
  timeout: 120_000,
}, async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const client = new Redis(redis.url);
  atEnd(t, () => client.disconnect());
  const folder = tempFolder(t);
  const ports: Readonly<Record<string, number>> = { kept: await freePort(), moved: await freePort() };
  /** Entries of a realms document: two of the realms are called at a URL. All of them publish over NATS. */
  const entryOf = (realm: string): string => {
    const port = ports[realm];
    return port === undefined ? `${realm}: {}` : `${realm}: {url: "http://127.0.0.1:${port}"}`;
  };
  const document = (name: string, ...realms: string[]): string => {
    const path = join(folder, `${name}.cue`);
    writeFileSync(path, `realms: {${realms.map(entryOf).join(", ")}}\n`);
    return path;
  };
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const [one, two] = await Promise.all(
    ["one", "two"].map((name) => startTestAggregator(t, { realms: document(name, "kept", "gone", "moved"), flags })),
  );
  assert.ok(one && two);
  const config = join(folder, "hosts.cue");
  writeFileSync(config, passiveHosts(hosts));
  const agentOf = async (realm: string) => {
    const port = ports[realm];
    return startTestAgent(t, {
      config,
      realm,
      flags: { "nats-url": nats.url, ...(port === undefined ? {} : { port }) },
    });
  };
  const [kept, gone, moved, added] = await Promise.all((["kept", "gone", "moved", "added"] as const).map(agentOf));
  assert.ok(kept && gone && moved && added);
  for (const realm of ["kept", "gone", "moved"])
    for (const on of [one, two]) await untilRealmIs(on, { realm, freshness: "CURRENT", rows: hosts });

  // Results of all realms go on during the change.
  let round = 0;
  const results = new AbortController();
  const flow = (async () => {
    while (!results.signal.aborted) {
      round += 1;
      for (const agent of [kept, gone, moved, added])
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
    [one, "moved"],
    [two, "kept"],
    [two, "added"],
  ] as const)
    await untilRealmIs(on, { realm, freshness: "CURRENT", rows: hosts });
  for (const realm of ["gone", "moved"])
    assert.ok((await client.keys(`rw:*{${realm}}*`)).length > 0, `the other aggregator lists ${realm}`);
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
  for (const realm of ["gone", "moved"])
    await until(
      `the keys of the removed realm ${realm} are deleted`,
      async () => (await client.keys(`rw:*{${realm}}*`)).length === 0,
      withinAMinute,
    );

  await t.test("[RS15] what is stored of a removed object of a realm with a URL goes after an hour", async () => {
    const { versions, removed } = await storedKeys(client, "kept");
    const removedVersions = async () =>
      Object.values(await client.hgetall(versions)).filter((text) => / x$/.test(text));
    writeFileSync(config, passiveHosts(hosts - 1));
    kept.signal("SIGHUP");
    await until("the removal is stored", async () => (await removedVersions()).length === 1, withinAMinute);
    const [reference = ""] = await client.zrange(removed, 0, "-1");
    await client.zincrby(removed, -2 * hourMs, reference);
    // An aggregator that applies its realms document deletes what is old enough.
    one.signal("SIGHUP");
    await until("it is deleted", async () => (await client.zcard(removed)) === 0, withinAMinute);
    assert.deepEqual(await removedVersions(), []);
    for (const on of [one, two]) await untilRealmIs(on, { realm: "kept", freshness: "CURRENT", rows: hosts - 1 });
  });
});

async function hostAtAgent({ base }: TestProgram, host: string): Promise<string | undefined> {
  const { body } = await call(base, "QueryService/ListStatus", { object: { host: { name: host } } });
  return ((body["rows"] as { output?: string }[] | undefined) ?? [])[0]?.output;
}
