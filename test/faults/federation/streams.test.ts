import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { call } from "../../run/call.ts";
import { startRedis, startTestAgent, startTestAggregator, type TestProgram, tempFolder } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";
import { type SampledAnswer, sampleAnswers } from "../answer-samples.ts";
import { readinessOf } from "../redis/redis-faults.ts";
import { clockEnvironment, clockLibrary, type SoakNats, startSoakNats } from "./federation-environment.ts";

const hosts = 20;
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const documentOf = (count: number): string =>
  Array.from({ length: count }, (_, at) => `hosts: h${at}: {address: "a", ${passive}}\n`).join("");
const realms = `realms: fra: unreachable_after: "8s"\n`;
const patient = { withinMs: 60_000, everyMs: 100 };

type RealmJson = { readonly freshness: string; readonly detail?: string; readonly rowsHeld?: number };

async function answerOf({ base }: TestProgram) {
  const { body } = await call(base, "QueryService/ListStatus");
  const rows = (body["rows"] ?? []) as {
    readonly object: { readonly host: { readonly name: string } };
    readonly status: string;
    readonly stale?: boolean;
  }[];
  const statuses = Object.fromEntries(rows.map(({ object, status }) => [object.host.name, status]));
  return { rows, statuses, realm: ((body["realms"] ?? []) as RealmJson[])[0] };
}

const untilCurrent = (
  program: TestProgram,
  statuses: Readonly<Record<string, string>>,
  rows = hosts,
): Promise<unknown> =>
  until(
    "the realm is current, with all its rows",
    async () => {
      const answer = await answerOf(program);
      const isCurrent = answer.realm?.freshness === "REALM_FRESHNESS_CURRENT" && answer.rows.length === rows;
      return isCurrent && Object.entries(statuses).every(([host, status]) => answer.statuses[host] === status);
    },
    patient,
  );

const setStatus = (agent: TestProgram, host: string, status: string): Promise<unknown> =>
  sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: host } }, status });

async function start(t: TestContext, withRedis: boolean, env: Readonly<Record<string, string>> = {}) {
  const nats: SoakNats = await startSoakNats(t, tempFolder(t, "streams"));
  const redis = withRedis ? await startRedis(t) : undefined;
  const flags = { "nats-url": nats.centreUrl, ...(redis === undefined ? {} : { "redis-url": redis.url }) };
  const document = join(tempFolder(t, "document"), "config.cue");
  writeFileSync(document, documentOf(hosts));
  const startAggregator = (port?: number) =>
    startTestAggregator(t, { realms, flags: port === undefined ? flags : { ...flags, port } });
  const [centre, agent] = await Promise.all([
    startAggregator(),
    startTestAgent(t, { config: document, realm: "fra", flags: { "nats-url": nats.realmUrl("fra") }, env }),
  ]);
  await untilCurrent(centre, {});
  return { nats, centre, agent, document, startAggregator };
}

/** Samples an aggregator that may start later: rows of `statuses` that are others, and too few rows, are outdated. */
function sampleRows(t: TestContext, base: string, statuses: Readonly<Record<string, string>>, count = hosts) {
  const expected = Object.entries(statuses);
  const isWhole = ({ rows }: SampledAnswer): boolean =>
    rows.size === count && expected.every(([host, status]) => rows.get(host)?.status === status);
  return sampleAnswers(t, base, { realm: "fra", isWhole });
}

describe("freshness after faults of the streams", { concurrency: 2 }, () => {
  for (const withRedis of [false, true])
    test(`[FD4] ${withRedis ? "with" : "without"} Redis the rows that a restored older stream lacks are published again`, async (t) => {
      const { nats, centre, agent, startAggregator } = await start(t, withRedis);
      nats.saveStreams();
      await setStatus(agent, "h1", "STATUS_CRITICAL");
      await setStatus(agent, "h2", "STATUS_WARNING");
      const changed = { h1: "STATUS_CRITICAL", h2: "STATUS_WARNING" };
      await untilCurrent(centre, changed);
      const port = await freePort();
      const samples = [centre.base, `http://127.0.0.1:${port}`].map((base) => sampleRows(t, base, changed));
      await nats.server.stop("SIGKILL");
      assert.ok(nats.restoreStreams());
      await nats.server.restart();
      await untilCurrent(await startAggregator(port), changed);
      await untilCurrent(centre, changed);
      for (const { answers, outdated, failures, stop } of samples) {
        await stop();
        t.diagnostic(`${outdated()} of ${answers()} answers had older rows`);
        assert.ok(answers() > 0);
        assert.deepEqual(failures(), [], "older rows are never shown as current");
      }
      await setStatus(agent, "h3", "STATUS_CRITICAL");
      await untilCurrent(centre, { ...changed, h3: "STATUS_CRITICAL" });
    });

  test("[FD54, FD63] a realm whose rows a full stream refuses is behind, with the reason, until there is room", async (t) => {
    const { nats, centre, agent, document, startAggregator } = await start(t, false);
    const connection = await nats.connect();
    atEnd(t, () => connection.close());
    const manager = await connection.jetstreamManager();
    const { bytes } = (await manager.streams.info(stateStream.name)).state;
    await manager.streams.update(stateStream.name, { max_bytes: bytes + 100 });
    const object = { host: { name: "h1" } };
    const longOutput = "x".repeat(2_000);
    await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL", longOutput });
    // The rows of new objects are refused too.
    const all = hosts + 3;
    writeFileSync(document, documentOf(all));
    agent.signal("SIGHUP");
    await until("the agent has the new objects", async () => (await answerOf(agent)).rows.length === all, patient);

    const untilBehind = async (aggregator: TestProgram): Promise<void> => {
      let seen: RealmJson | undefined;
      await until(
        "the realm is behind and its rows are stale",
        async () => {
          const { rows, realm } = await answerOf(aggregator);
          seen = realm;
          if (realm?.freshness === "REALM_FRESHNESS_BEHIND") assert.ok(rows.every(({ stale }) => stale));
          return realm?.freshness === "REALM_FRESHNESS_BEHIND" && /SVC_STATE is full/.test(realm.detail ?? "");
        },
        { ...patient, seen: () => seen },
      );
      const readiness = await until(
        "readiness names the full stream",
        async () => {
          const line = await readinessOf(aggregator, "streams");
          return /SVC_STATE is \d+ % full .*refuses new rows when it is full/.test(line.detail) ? line : undefined;
        },
        patient,
      );
      assert.deepEqual([readiness.status, readiness.ok], [200, false], "what the aggregator holds is served");
    };
    await untilBehind(centre);
    const port = await freePort();
    const samples = sampleRows(t, `http://127.0.0.1:${port}`, { h1: "STATUS_CRITICAL" }, all);
    const fresh = await startAggregator(port);
    await untilBehind(fresh);
    const lacking = (await answerOf(fresh)).rows.length;
    assert.ok(lacking < all, `${lacking} of ${all} rows: the stream refused none`);
    await samples.stop();
    assert.ok(samples.outdated() > 0);
    assert.deepEqual(samples.failures(), [], "missing rows are never shown as a current realm");
    await manager.streams.update(stateStream.name, { max_bytes: 64 * 1024 ** 2 });
    for (const aggregator of [centre, fresh]) await untilCurrent(aggregator, { h1: "STATUS_CRITICAL" }, all);
  });

  test("[FD4] with the streams purged and the agent's data and an hour of its clock lost, its rows are taken again", {
    skip: existsSync(clockLibrary) ? false : "libfaketime is not installed",
  }, async (t) => {
    const clock = join(tempFolder(t, "clock"), "clock");
    writeFileSync(clock, "+0\n");
    const { nats, centre, agent } = await start(t, true, clockEnvironment(clock));
    await setStatus(agent, "h1", "STATUS_CRITICAL");
    await untilCurrent(centre, { h1: "STATUS_CRITICAL" });
    const connection = await nats.connect();
    atEnd(t, () => connection.close());
    const manager = await connection.jetstreamManager();
    await agent.stop("SIGKILL");
    for (const { name } of [stateStream, eventStream]) await manager.streams.purge(name);
    rmSync(agent.dataDir, { recursive: true });
    writeFileSync(clock, "-1h\n");
    await agent.restart();
    await setStatus(agent, "h2", "STATUS_WARNING");
    await untilCurrent(centre, { h1: "STATUS_PENDING", h2: "STATUS_WARNING" });
  });

  test("[FD80] an agent that once started with its clock 30 days ahead is current after a start with the right one", {
    skip: existsSync(clockLibrary) ? false : "libfaketime is not installed",
  }, async (t) => {
    const clock = join(tempFolder(t, "clock"), "clock");
    writeFileSync(clock, "+0\n");
    const { centre, agent, startAggregator } = await start(t, false, clockEnvironment(clock));
    await agent.stop();
    writeFileSync(clock, "+30d\n");
    await agent.restart();
    await until(
      "the epoch is refused",
      async () => {
        const { realm } = await answerOf(centre);
        return realm?.freshness === "REALM_FRESHNESS_CONFLICT" && /more than a day ahead/.test(realm.detail ?? "");
      },
      patient,
    );
    await agent.stop();
    writeFileSync(clock, "+0\n");
    await agent.restart();
    assert.match(agent.output(), /stored epoch is more than 24 h ahead of this clock/);
    await setStatus(agent, "h1", "STATUS_CRITICAL");
    // The first aggregator says for a minute that it has refused an epoch. The stream holds none that another refuses.
    await until("rows arrive", async () => (await answerOf(centre)).statuses["h1"] === "STATUS_CRITICAL", patient);
    await untilCurrent(await startAggregator(), { h1: "STATUS_CRITICAL" });
  });

  test("[FD54] a realm that may no longer publish rows is behind, with the reason, until it may again", async (t) => {
    const { nats, centre, agent } = await start(t, false);
    await nats.permitRows("fra", false);
    await setStatus(agent, "h1", "STATUS_CRITICAL");
    let seen: RealmJson | undefined;
    await until(
      "the realm is behind and its rows are stale",
      async () => {
        const { rows, realm } = await answerOf(centre);
        seen = realm;
        if (realm?.freshness === "REALM_FRESHNESS_BEHIND") assert.ok(rows.every(({ stale }) => stale));
        return realm?.freshness === "REALM_FRESHNESS_BEHIND" && /permission/i.test(realm.detail ?? "");
      },
      { ...patient, seen: () => seen },
    );
    await nats.permitRows("fra", true);
    await untilCurrent(centre, { h1: "STATUS_CRITICAL" });
  });
});
