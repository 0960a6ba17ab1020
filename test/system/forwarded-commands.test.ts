import assert from "node:assert/strict";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { openFaultProxy } from "../run/fault-proxy.ts";
import { startNats, startTcpTarget, startTestAgent, startTestAggregator } from "../run/processes.ts";
import { hostTarget, type JsonRow, realmStates, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";
import { smallRealm } from "../run/small-realm.ts";

const job = serviceTarget("web1", "job");

let barriers = 0;

/**
 * Row in which the effects of all commands are that were accepted before. A row shows a command a moment after the
 * answer, and commands in the order of their answers: a comment that is added now and shown is a barrier behind them.
 */
async function settledRow(base: string, name: string, target: object): Promise<JsonRow> {
  const barrier = `barrier ${++barriers}`;
  await sendCommand(base, "AddComment", { target, author: "barrier", text: barrier });
  return until(`${name} shows ${barrier}`, async () => {
    const row = (await statusRows(base))[name];
    return row?.comments?.some(({ text }) => text === barrier) ? row : undefined;
  });
}

/** One realm behind a fault proxy, a second one over NATS, a third one that never starts, and an aggregator. */
async function startRealms(scope: TestScope) {
  const [nats, target] = await Promise.all([startNats(scope), startTcpTarget(scope)]);
  const config = smallRealm(target.address);
  const flags = { "nats-url": nats.url };
  const [fra, ams] = await Promise.all([
    startTestAgent(scope, { config, realm: "fra", flags }),
    startTestAgent(scope, { config, realm: "ams", flags }),
  ]);
  const proxy = await openFaultProxy(scope, fra.port);
  const realms = `realms: {
	fra: {url: "${proxy.base}", labels: region: "eu", unreachable_after: "7s"}
	ams: {unreachable_after: "7s"}
	zrh: {}
}
`;
  const centre = await startTestAggregator(scope, { realms, flags });
  await until("rows of both realms", async () => Object.keys(await statusRows(centre.base)).length === 6);
  const add = (realm: string, text: string, headers = {}) =>
    call(
      centre.base,
      "RealmCommandService/AddComment",
      { realm, request: { target: job, author: "ann", text } },
      headers,
    );
  const texts = async (base: string) => {
    const { comments = [] } = await settledRow(base, "web1!job", job);
    return comments
      .filter(({ author }) => author !== "barrier")
      .map(({ text }) => text)
      .sort();
  };
  return { nats, fra, ams, centre, proxy, add, texts };
}

test("[FD25-FD29] commands through an aggregator whose answers are lost", async (t) => {
  const { fra, ams, centre, proxy, add, texts } = await startRealms(t);

  await t.test("[FD28] an answer lost to a reset connection: repeated, executed once, answered", async () => {
    proxy.fates.push("reset", "hang");
    const answer = await add("fra", "lost");
    assert.deepEqual([answer.ok, answer.message], [true, ""]);
    assert.deepEqual(await texts(fra.base), ["lost"]);
  });

  await t.test(
    "[FD28] kill -9 right after the realm accepted: answered by the realm's next start, executed once",
    async () => {
      let restarted: Promise<void> | undefined;
      proxy.onReset = () => {
        restarted ??= fra.stop("SIGKILL").then(() => fra.restart());
      };
      proxy.breakAll();
      proxy.fates.push("reset");
      const sent = { "idempotency-key": "kill-1" };
      const first = await add("fra", "killed", sent);
      assert.ok(first.ok || first.code === "deadline_exceeded", `${first.code} ${first.message}`);
      await restarted;
      const again = await until("the realm answers", async () => {
        const answer = await add("fra", "killed", sent);
        return answer.ok && answer;
      });
      if (first.ok) assert.equal(again.body["commentId"], first.body["commentId"]);
      assert.deepEqual(await texts(fra.base), ["killed", "lost"]);
    },
  );

  await t.test("[FD29] the same key through the aggregator and NATS is executed once", async () => {
    const answers = await Promise.all([1, 2].map(() => add("ams", "nats", { "idempotency-key": "n1" })));
    assert.deepEqual(
      answers.map(({ ok, message }) => [ok, message]),
      [
        [true, ""],
        [true, ""],
      ],
    );
    assert.equal(new Set(answers.map(({ body }) => body["commentId"])).size, 1);
    const other = await add("ams", "other", { "idempotency-key": "n1" });
    assert.equal(other.code, "invalid_argument", other.message);
    assert.deepEqual(await texts(ams.base), ["nats"]);
    assert.equal((await add("ams", "bad", { "idempotency-key": "" })).code, "invalid_argument");
  });

  await t.test(
    "[FD25, FD27] a realm that hangs: the outcome is unknown after 5 s, and it executes nothing later",
    async () => {
      // Its heartbeats may be late on a busy machine.
      await until("fra is reachable", async () => (await realmStates(centre.base))["fra"]?.reachable === true);
      fra.signal("SIGSTOP");
      const beganMs = performance.now();
      const answer = await add("fra", "late");
      const tookMs = performance.now() - beganMs;
      assert.match(`${answer.code}: ${answer.message}`, /^deadline_exceeded: .*the outcome is unknown/);
      assert.ok(tookMs > 4_500, `${tookMs} ms`);
      await until("fra is silent", async () => (await realmStates(centre.base))["fra"]?.reachable === false);
      const refused = await add("fra", "silent");
      assert.deepEqual([refused.code, /fra/.test(refused.message)], ["unavailable", true]);
      fra.signal("SIGCONT");
      await until("fra is reachable", async () => (await realmStates(centre.base))["fra"]?.reachable === true);
      await until("fra takes commands", async () => (await add("fra", "after")).ok, { everyMs: 500 });
      assert.ok(!(await texts(fra.base)).includes("late"));
    },
  );
});

test("[FD30] one command for all realms with a match, of which one is dead", async (t) => {
  const { fra, ams, centre, proxy } = await startRealms(t);
  const execute = (request: object) => call(centre.base, "RealmBulkService/Execute", request);
  const acknowledge = { acknowledgeProblem: { author: "ann", comment: "known" } };
  const spans = { start: new Date(Date.now() + 3_600_000), end: new Date(Date.now() + 7_200_000) };
  const downtime = { scheduleDowntime: { author: "ann", comment: "move", ...spans } };

  await t.test("an empty or malformed selector or no command is invalid_argument; no match is not_found", async () => {
    for (const request of [{}, { selector: "" }, { selector: "env in", ...acknowledge }, { selector: "env=prod" }])
      assert.equal((await execute(request)).code, "invalid_argument", JSON.stringify(request));
    for (const selector of ["env=test", "@realm=zrh"])
      assert.equal((await execute({ selector, ...acknowledge })).code, "not_found", selector);
    assert.equal(
      (await execute({ selector: "env=prod", ...downtime, requestId: "x".repeat(129) })).code,
      "invalid_argument",
    );
  });

  await t.test("labels of a realm and @realm select", async () => {
    const { body } = await execute({ selector: "region=eu,@kind=service", ...acknowledge });
    assert.deepEqual(body["results"], [{ realm: "fra", matched: 2 }]);
    const named = await execute({ selector: "@realm=ams", ...acknowledge });
    assert.deepEqual(named.body["results"], [{ realm: "ams", matched: 3 }]);
  });

  await t.test("a refusal of the realms is a result; a lost answer is repeated", async () => {
    const { body } = await execute({ selector: "env=prod", scheduleDowntime: { author: "ann" } });
    const refusals = (body["results"] as { realm: string; code: string }[]).map(({ realm, code }) => [realm, code]);
    assert.deepEqual(refusals, [
      ["ams", "invalid_argument"],
      ["fra", "invalid_argument"],
    ]);
    proxy.breakAll();
    proxy.fates.push("reset");
    const sent = await execute({ selector: "env=prod", ...downtime, requestId: "r1" });
    const results = sent.body["results"] as { matched: number; code?: string; downtimeIds: string[] }[];
    assert.deepEqual(
      results.map(({ matched, code, downtimeIds }) => [matched, code, downtimeIds.length]),
      [
        [3, undefined, 3],
        [3, undefined, 3],
      ],
    );
    const again = await execute({ selector: "env=prod", ...downtime, requestId: "r1" });
    assert.deepEqual(again.body, sent.body);
    for (const { base } of [fra, ams])
      assert.equal((await settledRow(base, "web1", hostTarget("web1"))).downtimes?.length, 1);
  });

  const report = (status: string) =>
    Promise.all(
      [fra, ams].map(({ base }) => sendCommand(base, "ProcessCheckResult", { ...job, status, output: status })),
    );
  const criticalObjects = async () =>
    Object.keys(await statusRows(centre.base, { selector: "@status=critical" }))
      .sort()
      .join();

  await t.test("[CM3] `enabled` left out is false, and CommandService is not found", async () => {
    const realmWide = { realm: "ams", request: { author: "ann" } };
    assert.ok((await call(centre.base, "RealmCommandService/SetProgramNotifications", realmWide)).ok);
    assert.ok((await execute({ selector: "@realm=ams", setObjectNotifications: { author: "ann" } })).ok);
    await until("both are off", async () => {
      const { body } = await call(ams.base, "QueryService/GetServerInfo", {});
      const toggles = body["toggles"] as { notificationsEnabled: boolean };
      const rows = Object.values(await statusRows(ams.base));
      return !toggles.notificationsEnabled && rows.every(({ notificationsEnabled }) => !notificationsEnabled);
    });
    assert.equal((await call(centre.base, "CommandService/AddComment", {})).http, 404);
  });

  await t.test("a dead realm is reported as unavailable with the objects that the centre knows", async () => {
    await report("STATUS_CRITICAL");
    await until("both are critical", async () => (await criticalObjects()) === "ams/web1!job,fra/web1!job");
    await ams.stop("SIGKILL");
    await until("ams is unreachable", async () => (await realmStates(centre.base))["ams"]?.reachable === false);
    const { body } = await execute({ selector: "env=prod", ...downtime });
    const [dead, alive] = body["results"] as { realm: string; matched: number; code?: string; message?: string }[];
    assert.deepEqual([dead?.realm, dead?.matched, dead?.code], ["ams", 3, "unavailable"]);
    assert.match(dead?.message ?? "", /realm "ams"/);
    assert.deepEqual([alive?.realm, alive?.matched, alive?.code], ["fra", 3, undefined]);
  });

  await t.test("[FD95] a repeat after a recovery goes to the objects of the first call", async () => {
    const bulk = () => execute({ selector: "@status=critical", ...downtime, requestId: "critical" });
    const codesOf = ({ body }: Awaited<ReturnType<typeof bulk>>) =>
      (body["results"] as { realm: string; matched: number; code?: string }[]).map((one) => [
        one.realm,
        one.matched,
        one.code,
      ]);
    const first = await bulk();
    assert.deepEqual(codesOf(first), [
      ["ams", 1, "unavailable"],
      ["fra", 1, undefined],
    ]);

    await ams.restart();
    await report("STATUS_OK");
    await until("none is critical", async () => (await criticalObjects()) === "");
    const again = await until("ams takes commands", async () => {
      const answer = await bulk();
      return codesOf(answer)[0]?.[2] === undefined ? answer : undefined;
    });
    assert.deepEqual(codesOf(again), [
      ["ams", 1, undefined],
      ["fra", 1, undefined],
    ]);
    const idsOf = ({ body }: typeof again) => (body["results"] as { downtimeIds: string[] }[])[1]?.downtimeIds;
    assert.deepEqual(idsOf(again), idsOf(first));
    assert.equal((await settledRow(ams.base, "web1!job", job)).downtimes?.length, 2);
    assert.equal((await settledRow(ams.base, "web1!http", serviceTarget("web1", "http"))).downtimes?.length, 1);
    const other = await execute({ selector: "@status=warning", ...downtime, requestId: "critical" });
    assert.equal(other.code, "invalid_argument", other.message);
  });
});
