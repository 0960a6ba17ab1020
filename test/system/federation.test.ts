import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { call } from "../run/call.ts";
import {
  startNats,
  startRedis,
  startTcpTarget,
  startTestAgent,
  startTestAggregator,
  tempFolder,
} from "../run/processes.ts";
import { hostTarget, realmStates, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { smallRealm } from "../run/small-realm.ts";

const document = (address: string): string => smallRealm(address, `views: All: selector: "env=prod"`);

const token = "a-token-of-the-centre-0123456789abcdef";
const bearer = { authorization: `Bearer ${token}` };
const http = serviceTarget("web1", "http");
const job = serviceTarget("web1", "job");

/** Starts two realms and an aggregator; `fra` authenticates its callers, `ams` has no URL and is reached over NATS. */
async function startFederation(scope: TestScope) {
  const [nats, redis, target] = await Promise.all([startNats(scope), startRedis(scope), startTcpTarget(scope)]);
  const auth = `${tempFolder(scope)}/auth.cue`;
  const digest = createHash("sha256").update(token).digest("hex");
  writeFileSync(auth, `auth: centre: {role: "operator", token_hash: "sha256:${digest}"}\n`);
  const config = document(target.address);
  const [fra, ams] = await Promise.all([
    startTestAgent(scope, { config, realm: "fra", flags: { "nats-url": nats.url, "auth-config": auth } }),
    startTestAgent(scope, { config, realm: "ams", flags: { "nats-url": nats.url } }),
  ]);
  const realms = `realms: {
	fra: {url: "${fra.base}", token_env: "FRA_TOKEN", unreachable_after: "7s", labels: region: "eu", description: "Frankfurt"}
	ams: {unreachable_after: "7s"}
}
`;
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const centre = await startTestAggregator(scope, { realms, flags, env: { FRA_TOKEN: token } });
  await until(
    "rows of both realms, both reachable",
    async () => {
      const [rows, known] = [await statusRows(centre.base), await realmStates(centre.base)];
      const okCount = Object.values(rows).filter(({ status }) => status === "STATUS_OK").length;
      return Object.keys(rows).length === 6 && okCount === 4 && known["fra"]?.reachable && known["ams"]?.reachable;
    },
    { withinMs: 60_000 },
  );
  return { nats, redis, target, fra, ams, centre };
}

test("one view over two realms: rows, commands, an unreachable realm, and an emptied Redis", async (t) => {
  const { redis, target, fra, ams, centre } = await startFederation(t);

  await t.test("rows have their realm, and are filtered by it", async () => {
    assert.deepEqual(Object.keys(await statusRows(centre.base, { realm: "fra" })).sort(), [
      "fra/web1",
      "fra/web1!http",
      "fra/web1!job",
    ]);
    assert.equal(Object.keys(await statusRows(centre.base, { selector: "region=eu,@kind=service" })).length, 2);
    assert.ok(Object.values(await statusRows(ams.base)).every(({ realm }) => !realm));
    await until("the views of both realms are known", async () => {
      const { body } = await call(centre.base, "QueryService/ListViews");
      const realms = ((body["views"] ?? []) as { realm: string }[]).map(({ realm }) => realm);
      return realms.sort().join() === "ams,fra";
    });
  });

  await t.test("[FE2] a problem is soft, then hard at the agent and at the aggregator", async () => {
    await target.close();
    for (const [base, ref, headers] of [
      [fra.base, "web1!http", bearer],
      [centre.base, "fra/web1!http", {}],
      [centre.base, "ams/web1!http", {}],
    ] as const)
      await until(`${ref} is hard critical`, async () => {
        const row = (await statusRows(base, {}, headers))[ref];
        return row?.status === "STATUS_CRITICAL" && row.stateType === "STATE_TYPE_HARD";
      });
  });

  await t.test("[FE5] a forwarded acknowledgement has the aggregator's identity, on behalf of its caller", async () => {
    const request = { target: http, sticky: true, author: "ann", comment: "on it" };
    await sendCommand(centre.base, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request });
    for (const [base, ref, headers] of [
      [fra.base, "web1!http", bearer],
      [centre.base, "fra/web1!http", {}],
    ] as const) {
      const row = await until(`the acknowledgement at ${ref}`, async () => {
        const found = (await statusRows(base, {}, headers))[ref];
        return found?.acknowledgement !== undefined && found;
      });
      assert.deepEqual([row.acknowledgement?.author, row.acknowledgement?.onBehalfOf], ["centre", "ann"]);
      assert.equal(row.handled, true);
    }
    const history = await until("history at the aggregator", async () => {
      const { body } = await call(centre.base, "QueryService/ListHistory", {
        realm: "fra",
        types: ["HISTORY_TYPE_ACKNOWLEDGED"],
      });
      return (body["records"] as { author: string; realm: string }[] | undefined)?.[0];
    });
    assert.deepEqual([history.author, history.realm], ["centre", "fra"]);
  });

  await t.test("[FE5] a realm without a URL receives commands over NATS", async () => {
    const request = { target: job, author: "ann", text: "over NATS" };
    const added = await sendCommand(centre.base, "RealmCommandService/AddComment", { realm: "ams", request });
    assert.match(String(added.body["commentId"]), /./);
    await until(
      "the comment",
      async () => (await statusRows(ams.base))["web1!job"]?.comments?.[0]?.text === "over NATS",
    );
    const deleted = { commentId: added.body["commentId"] };
    await sendCommand(centre.base, "RealmCommandService/DeleteComment", { realm: "ams", request: deleted });
    const again = await call(centre.base, "RealmCommandService/DeleteComment", { realm: "ams", request: deleted });
    assert.equal(again.code, "not_found");
  });

  await t.test(
    "[FE5, QS9] a realm's refusal is returned unchanged; an unknown realm is not_found; CommandService does not exist",
    async () => {
      for (const realm of ["fra", "ams"]) {
        const refused = await call(centre.base, "RealmCommandService/ScheduleDowntime", {
          realm,
          request: { target: hostTarget("web1") },
        });
        assert.deepEqual([refused.code, /start/.test(refused.message)], ["invalid_argument", true], refused.message);
      }
      const unknown = await call(centre.base, "RealmCommandService/ScheduleCheck", {
        realm: "nowhere",
        request: { target: http },
      });
      assert.equal(unknown.code, "not_found");
      assert.equal((await call(centre.base, "CommandService/ScheduleCheck", {})).http, 404);
      assert.equal(
        (await call(centre.base, "RealmBulkService/Execute", { selector: "env=prod" })).code,
        "invalid_argument",
      );
    },
  );

  await t.test("[FE2] when the target works again, both realms recover and the acknowledgement ends", async () => {
    await target.open();
    await until("ok at the aggregator", async () => {
      const rows = await statusRows(centre.base);
      return (
        ["fra", "ams"].every((realm) => rows[`${realm}/web1!http`]?.status === "STATUS_OK") &&
        !rows["fra/web1!http"]?.acknowledgement
      );
    });
  });

  await t.test(
    "[FE3] after kill -9 of an agent its realm is unreachable, rows stay, commands are unavailable; after its start all works",
    async () => {
      await ams.stop("SIGKILL");
      await until("ams is unreachable", async () => (await realmStates(centre.base))["ams"]?.reachable === false, {
        withinMs: 60_000,
      });
      assert.equal(Object.keys(await statusRows(centre.base, { realm: "ams" })).length, 3);
      assert.match((await realmStates(centre.base))["ams"]?.lastSeen ?? "", /^20/);
      const refused = await call(centre.base, "RealmCommandService/ScheduleCheck", {
        realm: "ams",
        request: { target: http },
      });
      assert.deepEqual([refused.code, /ams/.test(refused.message)], ["unavailable", true]);
      await ams.restart();
      await until("ams is reachable", async () => (await realmStates(centre.base))["ams"]?.reachable === true);
      assert.equal(Object.keys(await statusRows(centre.base, { realm: "ams" })).length, 3);
      await sendCommand(centre.base, "RealmCommandService/ScheduleCheck", { realm: "ams", request: { target: http } });
    },
  );

  await t.test("[RS2] an emptied Redis is filled again while all agents are stopped", async () => {
    await Promise.all([fra.stop("SIGKILL"), ams.stop("SIGKILL")]);
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    // The first responses may still be from before: the loss is detected a moment later.
    const all = async () => {
      const [rows, realms] = [await statusRows(centre.base), await realmStates(centre.base)];
      return Object.keys(rows).length === 6 && /^20/.test(realms["fra"]?.lastSeen ?? "");
    };
    await until("six rows, and the time their realm was last seen", all);
  });
});

test("[FE6] without Redis the aggregator holds rows in memory and fills them from NATS at each start", async (t) => {
  const [nats, target] = await Promise.all([startNats(t), startTcpTarget(t)]);
  const agent = await startTestAgent(t, {
    config: document(target.address),
    realm: "fra",
    flags: { "nats-url": nats.url },
  });
  const centre = await startTestAggregator(t, {
    realms: `realms: fra: {url: "${agent.base}"}\n`,
    flags: { "nats-url": nats.url },
  });
  const three = async () => Object.keys(await statusRows(centre.base)).length === 3;
  await until("three rows", three);
  await agent.stop("SIGKILL");
  await centre.restart();
  await until("three rows again", three);
});

test("[FE7] a realm's configuration is read and changed through the aggregator by a caller who is admin at both", async (t) => {
  const [nats, target] = await Promise.all([startNats(t), startTcpTarget(t)]);
  const folder = tempFolder(t, "admins");
  const digestOf = (text: string): string => createHash("sha256").update(text).digest("hex");
  const people = { admin: "an-admins-token-0123456789abcdef", operator: "an-operators-token-0123456789abcdef" };
  const identities = (names: Record<string, string>, roles: Record<string, string>): string =>
    Object.entries(names)
      .map(([name, secret]) => `auth: ${name}: {role: "${roles[name]}", token_hash: "sha256:${digestOf(secret)}"}\n`)
      .join("");
  writeFileSync(`${folder}/realm.cue`, identities({ centre: token }, { centre: "admin" }));
  writeFileSync(`${folder}/centre.cue`, identities(people, { admin: "admin", operator: "operator" }));
  const config = `${folder}/config.cue`;
  writeFileSync(config, document(target.address));
  const flags = { "nats-url": nats.url };
  const agent = await startTestAgent(t, {
    config,
    realm: "fra",
    flags: { ...flags, "auth-config": `${folder}/realm.cue` },
  });
  const realms = `realms: fra: {url: "${agent.base}", token_env: "FRA_TOKEN"}\n`;
  const start = { realms, flags: { ...flags, "auth-config": `${folder}/centre.cue` }, env: { FRA_TOKEN: token } };
  const centre = await startTestAggregator(t, start);
  const as = (name: keyof typeof people) => ({ authorization: `Bearer ${people[name]}` });
  const callAs = (rpc: string, request: object, caller: keyof typeof people = "admin") =>
    call(centre.base, `RealmAdminService/${rpc}`, { realm: "fra", request }, as(caller));
  await until("the realm is reachable", async () => (await callAs("GetConfig", {})).ok);
  assert.equal((await callAs("GetConfig", {})).body["cue"], document(target.address));
  assert.equal((await callAs("GetConfig", {}, "operator")).code, "permission_denied");
  const refused = await callAs("ApplyConfig", { cue: "hosts: 1\n" });
  assert.equal(refused.code, "invalid_argument");
  assert.equal((refused.body["details"] as { type: string }[])[0]?.type, "svc.v1.ConfigDiagnostics");
  const cue = `hosts: {}\n`;
  assert.equal((await callAs("ApplyConfig", { cue })).ok, true);
  await until("the realm has no objects", async () => {
    return Object.keys(await statusRows(centre.base, {}, as("operator"))).length === 0;
  });
});
