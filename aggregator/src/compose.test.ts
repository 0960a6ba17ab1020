import assert from "node:assert/strict";
import { after, test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import {
  type AggregatorProcess,
  callAggregator,
  listStatus,
  longWait,
  openAggregatorEnvironment,
  realmAt,
  untilRows,
  web1Target,
} from "./compose.fixture.ts";

const { redis, nats, calls, url, document, openRealm, start } = await openAggregatorEnvironment(after);

test("two aggregators on one Redis: rows, commands, and recovery from the loss of every part", {
  timeout: 120_000,
}, async (t) => {
  const realms = document(
    "realms.cue",
    `realms: {fra: {url: "${url}", token_env: "FRA", unreachable_after: "10s", labels: {site: "main"}}, ams: {}}`,
  );
  const flags = ["-redis-url", redis.url];
  const [one, two] = await Promise.all([
    start(realms, flags, { FRA: "tok-1" }),
    start(realms, flags, { FRA: "tok-1" }),
  ]);
  const [fra, ams] = [openRealm("fra"), openRealm("ams")];

  await t.test("both aggregators return what realms publish", async () => {
    await Promise.all([fra.put("web1", "web1!http", "old"), ams.put("db"), fra.publishEvent(1)]);
    fra.live();
    for (const each of [one, two]) {
      await untilRows(4, each);
      await until("reachable is true", async () => (await realmAt(each, "fra"))?.reachable === true, longWait);
      await until(
        "one history record",
        async () => (await callAggregator(each, "QueryService/ListHistory")).records?.length === 1,
        longWait,
      );
    }
    const [silent] = (await listStatus(one)).realms?.filter((realm) => realm.name === "ams") ?? [];
    assert.equal(silent?.reachable, false);
    assert.equal((await callAggregator(one, "QueryService/ListStatus", { selector: "site=main" })).rows?.length, 3);
  });

  /** Hash and number of realms of the realms document, as the metrics have them. */
  const documentMetrics = async ({ base }: AggregatorProcess): Promise<{ hash: number; realms: number }> => {
    const page = await (await fetch(`${base}/metrics`)).text();
    const numberOf = (series: string): number =>
      Number(
        page
          .split("\n")
          .find((line) => line.startsWith(`realmwatch_config_${series} `))
          ?.split(" ")[1],
      );
    return { hash: numberOf("hash"), realms: numberOf('objects{kind="realm"}') };
  };
  const firstDocument = await documentMetrics(one);

  await t.test("[ME6] aggregators with the same document have the same configuration hash", async () => {
    assert.ok(firstDocument.hash > 0);
    assert.equal(firstDocument.realms, 2);
    assert.deepEqual(await documentMetrics(two), firstDocument);
  });

  await t.test("removed objects disappear; objects that a new epoch lacks disappear with its marker", async () => {
    await fra.drop("old");
    await untilRows(3, two);
    const again = openRealm("fra", 2_000);
    await again.put("web1");
    await again.complete();
    await untilRows(2, one, two);
  });

  await t.test("[FE5] commands are forwarded and answered; errors of the realm are returned unchanged", async () => {
    const request = { web1Target, author: "ann", comment: "on it" };
    // Its heartbeats, or the aggregator's own threads, may be late for seconds on a busy machine.
    let answer: unknown;
    const isAcknowledged = async (each: AggregatorProcess) => {
      answer = await callAggregator(each, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request });
      return (answer as { http: number }).http === 200;
    };
    for (const each of [two, one])
      await until("acknowledged", () => isAcknowledged(each), { ...longWait, seen: () => answer });
    assert.deepEqual(calls.at(-1), { authorization: "Bearer tok-1", author: "ann", comment: "on it" });
    const added = await callAggregator(two, "RealmCommandService/AddComment", { realm: "fra", request: { text: "x" } });
    assert.deepEqual(added, { http: 200, commentId: "c1" });
    const refused = await callAggregator(one, "RealmCommandService/ScheduleDowntime", {
      realm: "fra",
      request: { web1Target },
    });
    assert.deepEqual([refused.code, refused.message], ["invalid_argument", "start: is unset"]);
    assert.equal((await callAggregator(one, "RealmCommandService/ScheduleCheck", { realm: "mars" })).code, "not_found");
    // After three calls without an answer, which queries of a slow run may have been, the realm is spared for 5 s.
    let silent = "";
    const isNotListening = async (): Promise<boolean> => {
      const refusal = await callAggregator(one, "RealmCommandService/ScheduleCheck", { realm: "ams" });
      assert.equal(refusal.code, "unavailable");
      silent = refusal.message ?? "";
      return /realm "ams" does not listen on NATS/.test(silent);
    };
    await until("the realm is said not to listen", isNotListening, { ...longWait, seen: () => silent });
    assert.equal((await callAggregator(one, "CommandService/ScheduleCheck")).http, 404);
    assert.equal((await callAggregator(one, "RealmBulkService/Execute")).code, "invalid_argument");
    for (const service of ["AdminService/GetConfig", "RealmAdminService/GetConfig", "AuthService/WhoAmI"])
      assert.equal((await callAggregator(one, service)).http, 404, service);
  });

  await t.test("[RS2] an emptied Redis is rebuilt without the realms", async () => {
    fra.die();
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await untilRows(2, one, two);
    await until(
      "one history record",
      async () => (await callAggregator(two, "QueryService/ListHistory")).records?.length === 1,
      longWait,
    );
  });

  await t.test("[FE3] a realm without heartbeats turns unreachable, and keeps its rows and last_seen", async () => {
    await until("reachable is false", async () => (await realmAt(two, "fra"))?.reachable === false, longWait);
    const answer = await listStatus(two);
    assert.equal(answer.rows?.length, 2);
    assert.ok(answer.realms?.find((realm) => realm.name === "fra")?.lastSeen);
    assert.ok(answer.realms?.find((realm) => realm.name === "ams")?.lastSeen, "the time of its newest stored message");
    assert.equal(
      (await callAggregator(two, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request: { web1Target } }))
        .code,
      "unavailable",
    );
  });

  await t.test(
    "[RS1] without Redis: rows are answered from memory, history is unavailable, not ready; an empty Redis recovers without help",
    async () => {
      await redis.stop("SIGKILL");
      await until("not ready", async () => (await fetch(`${one.base}/readyz`)).status === 503, longWait);
      assert.equal((await listStatus(one)).rows?.length, 2);
      assert.equal((await callAggregator(one, "QueryService/ListHistory")).code, "unavailable");
      assert.equal(
        (await callAggregator(one, "RealmCommandService/AcknowledgeProblem", { realm: "fra" })).code,
        "unavailable",
      );
      const ready = await fetch(`${one.base}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /"redis": \{"ok":false/);
      assert.equal((await fetch(`${one.base}/healthz`)).status, 200);
      await redis.restart();
      for (const { base } of [one, two])
        await until("ready again", async () => (await fetch(`${base}/readyz`)).status === 200, longWait);
      await untilRows(2, one, two);
    },
  );

  await t.test("[NB1] without NATS: rows are answered and stale, not ready; it recovers without help", async () => {
    await nats.stop("SIGKILL");
    await until("not ready", async () => {
      const answer = await fetch(`${one.base}/readyz`);
      return answer.status === 503 && /"nats": \{"ok":false/.test(await answer.text());
    });
    assert.equal((await listStatus(one)).rows?.length, 2);
    await nats.restart();
    await untilRows(2, one);
    await fra.put("late");
    // Rows of the older epoch are ignored.
    await openRealm("fra", 2_000).put("x", "later");
    await untilRows(4, one, two);
  });

  await t.test("[FE2] after the death of one aggregator the other one continues", async () => {
    await one.stop("SIGKILL");
    await ams.put("cache");
    await untilRows(5, two);
  });

  await t.test("SIGHUP adds and removes realms; an invalid document changes nothing", async () => {
    const zrh = openRealm("zrh");
    await zrh.put("new");
    await until("zrh is logged", () => two.said().includes('"realm":"zrh"'), longWait);
    document("realms.cue", 'realms: {fra: {}, zrh: {labels: {site: "new"}}}');
    two.child.kill("SIGHUP");
    await until(
      "a row of zrh",
      async () => (await callAggregator(two, "QueryService/ListStatus", { selector: "site=new" })).rows?.length === 1,
      longWait,
    );
    assert.deepEqual(new Set((await listStatus(two)).rows?.map((row) => row.realm)), new Set(["fra", "zrh"]));
    document("realms.cue", "realms: {fra: {}, Bad: {}}");
    two.child.kill("SIGHUP");
    await until(
      "the document is refused",
      () => two.said().includes("refused; the previous one stays in use"),
      longWait,
    );
    document("realms.cue", "realms: {fra: {}, zrh: {}, ams: {}}");
    two.child.kill("SIGHUP");
    await until(
      "rows of three realms",
      async () => new Set((await listStatus(two)).rows?.map((row) => row.realm)).size === 3,
      longWait,
    );
    const changed = await documentMetrics(two);
    assert.equal(changed.realms, 3);
    assert.notEqual(changed.hash, firstDocument.hash);
  });

  assert.equal(await two.stop(), 0);
  assert.doesNotMatch(two.said(), /tok-1/);
});
