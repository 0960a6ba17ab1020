import assert from "node:assert/strict";
import { after, test } from "node:test";
import { Redis } from "ioredis";
import { callAggregator, countRows, openAggregatorEnvironment, listStatus, web1Target, until } from "./compose.fixture.ts";

const { redis, nats, calls, url, document, openRealm, start } = await openAggregatorEnvironment(after);

test("two aggregators on one Redis: rows, commands, and every part may go away and come back", {
  timeout: 120_000,
}, async (t) => {
  const realms = document(
    "realms.cue",
    `realms: {fra: {url: "${url}", token_env: "FRA", unreachable_after: "2s", labels: {site: "main"}}, ams: {}}`,
  );
  const flags = ["-redis-url", redis.url];
  const [one, two] = await Promise.all([
    start(realms, flags, { FRA: "tok-1" }),
    start(realms, flags, { FRA: "tok-1" }),
  ]);
  const [fra, ams] = [openRealm("fra"), openRealm("ams")];

  await t.test("what realms publish is read at both", async () => {
    await Promise.all([fra.put("web1", "web1!http", "old"), ams.put("db"), fra.tell(1)]);
    fra.live();
    for (const each of [one, two]) {
      await until(async () => (await countRows(each)) === 4);
      await until(async () => (await listStatus(each)).realms?.find((realm) => realm.name === "fra")?.reachable === true);
      await until(async () => (await callAggregator(each, "QueryService/ListHistory")).records?.length === 1);
    }
    const [silent] = (await listStatus(one)).realms?.filter((realm) => realm.name === "ams") ?? [];
    assert.equal(silent?.reachable, false);
    assert.equal((await callAggregator(one, "QueryService/ListStatus", { selector: "site=main" })).rows?.length, 3);
  });

  await t.test("what a realm removes goes; what a new epoch does not bring goes with its marker", async () => {
    await fra.drop("old");
    await until(async () => (await countRows(two)) === 3);
    const again = openRealm("fra", 2_000);
    await again.put("web1");
    await again.complete();
    await until(async () => (await countRows(one)) === 2 && (await countRows(two)) === 2);
  });

  await t.test("commands are forwarded and answered; errors of the realm pass through", async () => {
    const request = { web1Target, author: "ann", comment: "on it" };
    assert.equal((await callAggregator(one, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request })).http, 200);
    assert.deepEqual(calls.at(-1), { authorization: "Bearer tok-1", author: "ann", comment: "on it" });
    assert.equal(
      (await callAggregator(two, "RealmCommandService/AddComment", { realm: "fra", request: { text: "x" } })).commentId,
      "c1",
    );
    const refused = await callAggregator(one, "RealmCommandService/ScheduleDowntime", { realm: "fra", request: { web1Target } });
    assert.deepEqual([refused.code, refused.message], ["invalid_argument", "start: is unset"]);
    assert.equal((await callAggregator(one, "RealmCommandService/ScheduleCheck", { realm: "mars" })).code, "not_found");
    const silent = await callAggregator(one, "RealmCommandService/ScheduleCheck", { realm: "ams" });
    assert.equal(silent.code, "unavailable");
    assert.match(silent.message ?? "", /realm "ams" is unreachable/);
    assert.equal((await callAggregator(one, "CommandService/ScheduleCheck")).http, 404);
    assert.equal((await callAggregator(one, "RealmBulkService/Execute")).code, "unimplemented");
    for (const service of ["AdminService/GetConfig", "RealmAdminService/GetConfig", "AuthService/WhoAmI"])
      assert.equal((await callAggregator(one, service)).http, 404, service);
  });

  await t.test("[F33] an emptied Redis is filled again without the realms", async () => {
    fra.die();
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await until(async () => (await countRows(one)) === 2 && (await countRows(two)) === 2);
    await until(async () => (await callAggregator(two, "QueryService/ListHistory")).records?.length === 1);
  });

  await t.test("[I8] a silent realm turns unreachable, keeps its rows and when it was seen", async () => {
    await until(async () => (await listStatus(two)).realms?.find((realm) => realm.name === "fra")?.reachable === false);
    const answer = await listStatus(two);
    assert.equal(answer.rows?.length, 2);
    assert.ok(answer.realms?.find((realm) => realm.name === "fra")?.lastSeen);
    assert.ok(answer.realms?.find((realm) => realm.name === "ams")?.lastSeen, "the time of its newest stored message");
    assert.equal(
      (await callAggregator(two, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request: { web1Target } })).code,
      "unavailable",
    );
  });

  await t.test(
    "[F33] Redis away: unavailable by its name, not ready, and back by itself though it forgot everything",
    async () => {
      await redis.stop("SIGKILL");
      await until(async () => (await listStatus(one)).code === "unavailable");
      assert.match((await listStatus(one)).message ?? "", /Redis at .* is away/);
      assert.match((await callAggregator(one, "RealmCommandService/AcknowledgeProblem", { realm: "fra" })).message ?? "", /Redis/);
      const ready = await fetch(`${one.base}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /"redis": \{"ok":false/);
      assert.equal((await fetch(`${one.base}/healthz`)).status, 200);
      await redis.restart();
      await until(async () => (await countRows(one)) === 2 && (await countRows(two)) === 2);
    },
  );

  await t.test("[F09] NATS away: unavailable by its name, and back by itself", async () => {
    await nats.stop("SIGKILL");
    await until(async () => (await listStatus(one)).code === "unavailable");
    assert.match((await listStatus(one)).message ?? "", /NATS is away/);
    await nats.restart();
    await until(async () => (await countRows(one)) === 2);
    await fra.put("late");
    // The older epoch is over: only what the current one brings counts.
    await openRealm("fra", 2_000).put("x", "later");
    await until(async () => (await countRows(one)) === 4 && (await countRows(two)) === 4);
  });

  await t.test("[F06] one aggregator dies, the other goes on", async () => {
    await one.stop("SIGKILL");
    await ams.put("cache");
    await until(async () => (await countRows(two)) === 5);
  });

  await t.test("SIGHUP adds and removes realms; a document that does not hold changes nothing", async () => {
    const zrh = openRealm("zrh");
    await zrh.put("new");
    await until(() => two.said().includes('"realm":"zrh"'));
    document("realms.cue", 'realms: {fra: {}, zrh: {labels: {site: "new"}}}');
    two.child.kill("SIGHUP");
    await until(async () => (await callAggregator(two, "QueryService/ListStatus", { selector: "site=new" })).rows?.length === 1);
    assert.deepEqual(new Set((await listStatus(two)).rows?.map((row) => row.realm)), new Set(["fra", "zrh"]));
    document("realms.cue", "realms: {fra: {}, Bad: {}}");
    two.child.kill("SIGHUP");
    await until(() => two.said().includes("refused; the previous one stays in use"));
    document("realms.cue", "realms: {fra: {}, zrh: {}, ams: {}}");
    two.child.kill("SIGHUP");
    await until(async () => new Set((await listStatus(two)).rows?.map((row) => row.realm)).size === 3);
  });

  assert.equal(await two.stop(), 0);
  assert.doesNotMatch(two.said(), /tok-1/);
});
