import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rpcSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Redis } from "ioredis";
import { connect, type NatsConnection } from "nats";
import { passiveHosts, storedKeys, untilRealmIs } from "../../faults/redis/redis-faults.ts";
import { call } from "../../run/call.ts";
import {
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { hostTarget, realmStates, statusRows } from "../../run/rows.ts";

const hourMs = 3_600_000;

/** The heartbeats of `fra` are refused by NATS: no aggregator ever hears it. */
const realms = "realms: {fra: {}, ams: {}, dub: {}}\n";
const users = `authorization { users: [
	{user: any, password: any}
	{user: unheard, password: unheard, permissions: {publish: {deny: ["svc.v1.heartbeat.>"]}}}
] }
`;

async function startRealms(scope: TestScope) {
  const file = join(tempFolder(scope, "users"), "nats.conf");
  writeFileSync(file, users);
  const nats = await startNats(scope, ["-c", file]);
  const urlOf = (user: string): string => nats.url.replace("//", `//${user}:${user}@`);
  const startRealm = (realm: string, user: string): Promise<TestProgram> =>
    startTestAgent(scope, { config: passiveHosts(1), realm, flags: { "nats-url": urlOf(user) } });
  const connection = await connect({ servers: nats.url, user: "any", pass: "any" });
  atEnd(scope, () => connection.close());
  const [fra, ams] = await Promise.all([startRealm("fra", "unheard"), startRealm("ams", "any")]);
  for (const realm of ["fra", "ams"]) await untilItListens(connection, realm);
  return { url: urlOf("any"), fra, ams, startRealm };
}

/** Waits until the agent takes calls over NATS: then an unreadable one is refused, and not reported as unheard. */
const untilItListens = (connection: NatsConnection, realm: string): Promise<unknown> =>
  until(`${realm} listens on NATS`, () => connection.request(rpcSubject(realm), "", { timeout: 2_000 }));

const addComment = ({ base }: TestProgram, realm: string, text: string) =>
  call(base, "RealmCommandService/AddComment", {
    realm,
    request: { target: hostTarget("h0"), author: "ann", text },
  });

async function assertExecuted(aggregator: TestProgram, realm: string, text: string): Promise<void> {
  const { ok, code, message } = await addComment(aggregator, realm, text);
  assert.deepEqual({ realm, text, ok, code, message }, { realm, text, ok: true, code: "", message: "" });
}

const untilComments = ({ base }: TestProgram, texts: readonly string[]): Promise<unknown> =>
  until(`the realm has ${texts.length} comments`, async () => {
    const comments = (await statusRows(base))["h0"]?.comments ?? [];
    assert.deepEqual(comments.map(({ text }) => text).sort(), [...texts].sort());
    return true;
  });

describe("commands after the start of an aggregator", { concurrency: 2 }, () => {
  for (const withRedis of [false, true])
    test(`[FD26, FE5] ${withRedis ? "with" : "without"} Redis no command is refused because a realm has not been heard yet`, async (t) => {
      const { url, fra, ams, startRealm } = await startRealms(t);
      const redis = withRedis ? await startRedis(t) : undefined;
      // A slow machine must not turn a slow answer into an unknown outcome.
      const flags = { "nats-url": url, "forward-timeout": "60s", ...(redis && { "redis-url": redis.url }) };
      const centre = await startTestAggregator(t, { realms, flags });
      await until("the aggregator is ready", async () => (await fetch(`${centre.base}/readyz`)).ok);

      await t.test("a realm that was never heard executes commands, at once and later", async () => {
        await assertExecuted(centre, "fra", "first");
      });

      await t.test("a realm executes every command from the aggregator's start until it is current", async () => {
        const sent: string[] = [];
        do {
          sent.push(`comment ${sent.length}`);
          await assertExecuted(centre, "ams", sent.at(-1) ?? "");
        } while (!(await isCurrent(centre, "ams")));
        await untilComments(ams, sent);
      });

      await t.test("a realm that starts later executes a command right after its first heartbeat", async () => {
        const starting = startRealm("dub", "any");
        await until("the first heartbeat of dub", async () => (await realmStates(centre.base))["dub"]?.reachable, {
          everyMs: 1,
        });
        await assertExecuted(centre, "dub", "at once");
        await untilComments(await starting, ["at once"]);
        await untilRealmIs(centre, { realm: "dub", freshness: "CURRENT", rows: 1 });
      });

      if (redis !== undefined)
        await t.test(
          "an aggregator on a Redis with old heartbeats has a living realm execute every command",
          async () => {
            await centre.stop();
            // As if no aggregator had run for two hours.
            const client = new Redis(redis.url);
            await client.hincrby((await storedKeys(client, "ams")).meta, "heartbeatAt", -2 * hourMs);
            client.disconnect();
            await centre.restart();
            await until("the aggregator is ready", async () => (await fetch(`${centre.base}/readyz`)).ok);
            do await assertExecuted(centre, "ams", "after the break");
            while (!(await isCurrent(centre, "ams")));
          },
        );

      await assertExecuted(centre, "fra", "last");
      await untilRealmIs(centre, { realm: "fra", freshness: "UNKNOWN" });
      await untilComments(fra, ["first", "last"]);
    });
});

async function isCurrent({ base }: TestProgram, realm: string): Promise<boolean> {
  const state = (await realmStates(base))[realm] as { freshness?: string } | undefined;
  return state?.freshness === "REALM_FRESHNESS_CURRENT";
}
