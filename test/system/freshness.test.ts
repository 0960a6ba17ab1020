import assert from "node:assert/strict";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, type TestContext, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema, RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { epochSubject, eventStream, heartbeatSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Redis } from "ioredis";
import { connect, type NatsConnection } from "nats";
import { call } from "../run/call.ts";
import {
  copyStopped,
  spawnProgram,
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";

type RealmJson = {
  readonly name: string;
  readonly freshness: string;
  readonly detail?: string;
  readonly rowsHeld?: number;
  readonly rowsExpected?: number;
};

type Readiness = { readonly dependencies: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>> };

const hosts = 40;
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const document = Array.from({ length: hosts }, (_, at) => `hosts: h${at}: {address: "a", ${passive}}\n`).join("");
const realms = `realms: fra: {unreachable_after: "8s"}\n`;
const patient = { withinMs: 60_000 };

async function realmAt({ base }: Pick<TestProgram, "base">): Promise<RealmJson | undefined> {
  const answer = await call(base, "QueryService/ListStatus", { pageSize: 1 });
  return (answer.body["realms"] as RealmJson[] | undefined)?.[0];
}

const untilFreshness = (aggregator: TestProgram, freshness: string): Promise<RealmJson> =>
  until(
    `the realm is ${freshness}`,
    async () => {
      const realm = await realmAt(aggregator);
      const isProven = freshness !== "CURRENT" || realm?.rowsExpected === hosts;
      return realm?.freshness === `REALM_FRESHNESS_${freshness}` && isProven ? realm : undefined;
    },
    patient,
  );

async function statusOf({ base }: TestProgram, host: string): Promise<string> {
  const answer = await call(base, "QueryService/ListStatus", { object: { host: { name: host } } });
  return ((answer.body["rows"] as { status: string }[] | undefined) ?? [])[0]?.status ?? "";
}

const setStatus = (agent: TestProgram, host: string, status: string): Promise<unknown> =>
  sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: host } }, status: `STATUS_${status}` });

const addComment = ({ base }: TestProgram, text: string) =>
  call(base, "RealmCommandService/AddComment", {
    realm: "fra",
    request: { target: hostTarget("h1"), author: "ann", text },
  });

const commentsOf = async ({ base }: TestProgram): Promise<readonly string[]> =>
  ((await statusRows(base))["h1"]?.comments ?? []).map(({ text }) => text);

/** Sends up to 20 commands a second, one after the other, until `stop`, which resolves to the texts of the accepted ones. */
function sendComments(centre: TestProgram) {
  const accepted: string[] = [];
  const refusals: string[] = [];
  let stopped = false;
  const running = (async () => {
    for (let number = 1; !stopped; number += 1) {
      const answer = await addComment(centre, `comment ${number}`);
      if (answer.ok) accepted.push(`comment ${number}`);
      else refusals.push(String(answer.body["message"]));
      // An object takes 1 000 comments.
      await sleep(50);
    }
  })();
  return {
    refusals,
    async stop(): Promise<readonly string[]> {
      stopped = true;
      await running;
      return accepted;
    },
  };
}

async function connectTo(t: TestContext, url: string): Promise<NatsConnection> {
  const connection = await connect({ servers: url });
  atEnd(t, () => connection.close());
  return connection;
}

async function startCentre(t: TestContext, withRedis: boolean) {
  const nats = await startNats(t);
  const redis = withRedis ? await startRedis(t) : undefined;
  const flags = { "nats-url": nats.url, ...(redis === undefined ? {} : { "redis-url": redis.url }) };
  const startAggregator = (scope: TestContext = t) => startTestAggregator(scope, { realms, flags });
  const centre = await startAggregator();
  const agent = await startTestAgent(t, { config: document, realm: "fra", flags: { "nats-url": nats.url } });
  const current = await untilFreshness(centre, "CURRENT");
  assert.deepEqual([current.rowsHeld, current.rowsExpected], [hosts, hosts]);
  return { nats, redis, centre, agent, startAggregator };
}

type Centre = Awaited<ReturnType<typeof startCentre>>;

/** [FD1, FD4] Purges the state stream, and Redis where there is one: running and fresh aggregators get it back. */
async function purgeAndRefill(t: TestContext, { nats, redis, centre, agent, startAggregator }: Centre): Promise<void> {
  const connection = await connectTo(t, nats.url);
  const manager = await connection.jetstreamManager();
  await setStatus(agent, "h1", "CRITICAL");
  await until("the problem is shown", async () => (await statusOf(centre, "h1")) === "STATUS_CRITICAL");
  await manager.streams.purge(stateStream.name);
  if (redis !== undefined) {
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
  }
  const fresh = await startAggregator(t);
  const realm = await untilFreshness(fresh, "CURRENT");
  assert.equal(realm.rowsHeld, hosts);
  assert.equal(await statusOf(fresh, "h1"), "STATUS_CRITICAL");
  await untilFreshness(centre, "CURRENT");
  assert.equal(await statusOf(centre, "h1"), "STATUS_CRITICAL");
}

describe("freshness", { concurrency: 3 }, () => {
  test("without Redis", async (t) => {
    const started = await startCentre(t, false);
    const { nats, centre, agent, startAggregator } = started;

    await t.test("[FD1, FD4] a purged state stream is filled again, also for an aggregator that starts then", (t) =>
      purgeAndRefill(t, started),
    );

    await t.test(
      "[FD2, FD3] a row that was deleted from the stream makes a fresh aggregator behind, then it is repaired",
      async (t) => {
        const connection = await connectTo(t, nats.url);
        const manager = await connection.jetstreamManager();
        await manager.streams.purge(stateStream.name, { filter: "svc.v1.state.fra.host.>", keep: 10 } as never);
        const fresh = await startAggregator(t);
        const stale = await until(
          "rows are missing and stale",
          async () => {
            const { body } = await call(fresh.base, "QueryService/ListStatus", {});
            const rows = (body["rows"] as { stale?: boolean }[] | undefined) ?? [];
            return rows.length > 0 && rows.length < hosts && rows.every((row) => row.stale === true) ? body : undefined;
          },
          patient,
        );
        assert.ok((stale["summary"] as { lastKnown?: unknown }).lastKnown, "stale rows are counted apart");
        const realm = await untilFreshness(fresh, "CURRENT");
        assert.equal(realm.rowsHeld, hosts);
        const { body } = await call(fresh.base, "QueryService/ListStatus", {});
        assert.ok((body["rows"] as { stale?: boolean }[]).every((row) => row.stale === false));
        assert.equal((await call(agent.base, "QueryService/ListStatus", {})).ok, true);
      },
    );

    await t.test(
      "[FD7] a realm whose agent died is unreachable, keeps its rows as stale ones, and is current after its restart",
      async () => {
        await agent.stop("SIGKILL");
        const gone = await untilFreshness(centre, "UNREACHABLE");
        assert.equal(gone.rowsHeld, hosts);
        await agent.restart();
        assert.equal((await untilFreshness(centre, "CURRENT")).rowsHeld, hosts);
      },
    );
  });

  test("with Redis", async (t) => {
    const started = await startCentre(t, true);
    const { nats, redis, centre, agent } = started;

    await t.test("[FD1, FD4] a purged state stream is filled again, also for an aggregator that starts then", (t) =>
      purgeAndRefill(t, started),
    );

    await t.test(
      "[FD5] a poisoned epoch erases nothing, shows as a conflict, and the realm is current again afterwards",
      async (t) => {
        const connection = await connectTo(t, nats.url);
        const epoch = BigInt(Number.MAX_SAFE_INTEGER);
        const marker = create(RealmEpochSchema, { realm: "fra", epoch, complete: true, rows: 0 });
        await connection.jetstream().publish(epochSubject("fra"), toBinary(RealmEpochSchema, marker));
        const conflict = await untilFreshness(centre, "CONFLICT");
        assert.match(conflict.detail ?? "", /more than a day ahead/);
        assert.equal(conflict.rowsHeld, hosts);
        await agent.restart();
        await setStatus(agent, "h2", "CRITICAL");
        await until("rows go on", async () => (await statusOf(centre, "h2")) === "STATUS_CRITICAL", patient);
        // Nor does it return when both sides have lost what they knew.
        await agent.stop("SIGKILL");
        rmSync(agent.dataDir, { recursive: true });
        const client = new Redis(redis?.url ?? "");
        await client.flushall();
        client.disconnect();
        await agent.restart();
        await setStatus(agent, "h5", "CRITICAL");
        await until("rows go on", async () => (await statusOf(centre, "h5")) === "STATUS_CRITICAL", patient);
        assert.equal((await untilFreshness(centre, "CURRENT")).rowsHeld, hosts);
      },
    );
  });

  test("[FD6, FD60] of two agents of one realm the first one goes on and executes each command once, until the second one takes over", async (t) => {
    const { nats, centre, agent } = await startCentre(t, false);
    const commands = sendComments(centre);
    const twin = await startTestAgent(t, { config: document, realm: "fra", flags: { "nats-url": nats.url } });
    await untilFreshness(centre, "CONFLICT");
    await until(
      "the twin says so",
      async () => /another agent|follows/.test(await (await fetch(`${twin.base}/readyz`)).text()),
      patient,
    );
    await setStatus(twin, "h3", "CRITICAL");
    await setStatus(agent, "h4", "CRITICAL");
    await until("the first one publishes", async () => (await statusOf(centre, "h4")) === "STATUS_CRITICAL", patient);
    assert.notEqual(await statusOf(centre, "h3"), "STATUS_CRITICAL");
    assert.match(await (await fetch(`${twin.base}/metrics`)).text(), /^realmwatch_realm_duplicate(\{[^}]*\})? 1$/m);
    const accepted = await commands.stop();
    assert.ok(accepted.length > 0);
    const refusedByTwin = commands.refusals.filter((message) => message.includes("another agent"));
    assert.deepEqual(refusedByTwin, [], "the twin answers no command for the first one");
    // A command is answered when it is accepted, and executed after that.
    const executed = await until(
      "each accepted command is executed",
      async () => {
        const texts = [...(await commentsOf(agent)), ...(await commentsOf(twin))];
        return accepted.every((text) => texts.includes(text)) && texts;
      },
      patient,
    );
    for (const text of accepted)
      assert.equal(executed.filter((other) => other === text).length, 1, `${text} is executed once`);
    assert.equal(new Set(executed).size, executed.length, "no command is executed twice");

    await agent.stop("SIGKILL");
    await until(
      "the second one is followed",
      async () => (await statusOf(centre, "h3")) === "STATUS_CRITICAL",
      patient,
    );
    await until("and takes commands", async () => (await addComment(centre, "to the second one")).ok, patient);
    const isExecuted = async (): Promise<boolean> => (await commentsOf(twin)).includes("to the second one");
    await until("the command is executed", isExecuted, patient);
  });

  test("[FD81] an agent on a copy of a living one's data directory is not followed, and a restarted one is", async (t) => {
    const { nats, centre, agent } = await startCentre(t, false);
    await setStatus(agent, "h1", "CRITICAL");
    const problem = { target: hostTarget("h1"), author: "ann", comment: "seen" };
    await sendCommand(agent.base, "AcknowledgeProblem", problem);
    const acknowledgement = async () => (await statusRows(centre.base))["fra/h1"]?.acknowledgement?.comment;
    await until("the acknowledgement arrives", acknowledgement, patient);
    const copy = join(tempFolder(t, "copy"), "data");
    copyStopped(agent.pid, agent.dataDir, copy);
    await sendCommand(agent.base, "RemoveAcknowledgement", { target: hostTarget("h1") });
    await sendCommand(agent.base, "AcknowledgeProblem", { ...problem, comment: "seen again" });

    const commands = sendComments(centre);
    const flags = { "nats-url": nats.url, "data-dir": copy };
    const twin = await startTestAgent(t, { config: document, realm: "fra", flags });
    const { detail } = await untilFreshness(centre, "CONFLICT");
    const [, twinInstance] =
      /two agents publish this realm: \w+, which is followed, and (\w+)$/.exec(detail ?? "") ?? [];
    let twinHeartbeats = 0;
    (await connectTo(t, nats.url)).subscribe(heartbeatSubject("fra"), {
      callback: (_error, { data }) =>
        void (fromBinary(HeartbeatSchema, data).instance === twinInstance && twinHeartbeats++),
    });
    await until(
      "the copy says that another one is followed",
      async () => /follows another agent/.test(await (await fetch(`${twin.base}/readyz`)).text()),
      patient,
    );
    const shown = new Set<string | undefined>();
    await until(
      "the copy has sent more heartbeats than a successor waits for",
      async () => {
        shown.add(await acknowledgement());
        return twinHeartbeats >= 2;
      },
      patient,
    );
    assert.deepEqual([...shown], ["seen again"]);
    const accepted = await commands.stop();
    assert.ok(accepted.length > 0);
    assert.deepEqual(commands.refusals, []);
    await until(
      "the original executes each command",
      async () => {
        const texts = await commentsOf(agent);
        return accepted.every((text) => texts.includes(text));
      },
      patient,
    );
    assert.deepEqual(await commentsOf(twin), []);
    await twin.stop("SIGKILL");

    for (const [signal, waits] of [
      ["SIGTERM", false],
      ["SIGKILL", true],
    ] as const) {
      const before = agent.output().length;
      await agent.stop(signal);
      await agent.restart();
      await setStatus(agent, "h2", waits ? "WARNING" : "CRITICAL");
      const shows = async () => (await statusOf(centre, "h2")) === `STATUS_${waits ? "WARNING" : "CRITICAL"}`;
      await until(`it is followed after ${signal}`, shows, patient);
      const said = agent.output().slice(before);
      if (!waits) assert.doesNotMatch(said, /still awaits this agent's previous instance/);
      assert.doesNotMatch(said, /another agent publishes this realm/);
    }
  });

  test("[FD83, FD84] a cold standby on an older copy of the data says what is lost, over restarts, until a person accepts it", async (t) => {
    const { nats, centre, agent } = await startCentre(t, false);
    await setStatus(agent, "h1", "CRITICAL");
    const hasRecordOf = async ({ base }: TestProgram, host: string): Promise<boolean> =>
      JSON.stringify((await call(base, "QueryService/ListHistory")).body["records"] ?? []).includes(`"${host}"`);
    await until("the change is in the history", () => hasRecordOf(agent, "h1"), patient);
    const copy = join(tempFolder(t, "copy"), "data");
    copyStopped(agent.pid, agent.dataDir, copy);
    await sendCommand(agent.base, "AcknowledgeProblem", { target: hostTarget("h1"), author: "ann", comment: "seen" });
    await setStatus(agent, "h2", "CRITICAL");
    // The record may arrive after the row.
    await until("the records arrive", () => hasRecordOf(centre, "h2"), patient);
    await agent.stop("SIGKILL");
    // The restarted aggregator knows from the stream which records and commands it has seen.
    await centre.restart();
    const flags = { "nats-url": nats.url, "data-dir": copy };
    const standby = await startTestAgent(t, { config: document, realm: "fra", flags });
    const dataLine = async () => {
      const answer = await fetch(`${standby.base}/readyz`);
      const { dependencies } = (await answer.json()) as Readiness;
      return { status: answer.status, line: dependencies["data"] };
    };
    const untilSaid = async (): Promise<void> => {
      const loss = /older copy of its data: history records \d+ to \d+ and 2 accepted commands since 20.*Z were lost/;
      let realm: RealmJson | undefined;
      const isSaid = async (): Promise<boolean> => {
        realm = await realmAt(centre);
        return realm?.freshness === "REALM_FRESHNESS_CURRENT" && loss.test(realm.detail ?? "");
      };
      await until("the realm says so", isSaid, { ...patient, seen: () => [realm, standby.output().slice(-3_000)] });
      const { status, line } = await dataLine();
      assert.deepEqual([status, line?.ok, loss.test(line?.detail ?? "")], [200, false, true]);
    };
    await untilSaid();
    assert.match(standby.output(), /"level":"error".*started on an older copy of its data/);
    await standby.restart();
    await untilSaid();
    const [code] = (await once(spawnProgram("agent", ["accept-restore", `-data-dir=${copy}`]), "exit")) as [number];
    assert.equal(code, 0);
    await until("it is accepted", async () => ((await realmAt(centre))?.detail ?? "") === "", patient);
    assert.equal((await dataLine()).line, undefined);
    await standby.restart();
    assert.equal((await untilFreshness(centre, "CURRENT")).detail ?? "", "");
  });

  test("[FD7] an agent that sends no evidence is judged by its heartbeats, and the detail says so", async (t) => {
    const nats = await startNats(t);
    const centre = await startTestAggregator(t, { realms, flags: { "nats-url": nats.url } });
    const connection = await connectTo(t, nats.url);
    assert.equal(
      (await until("the realm is listed", () => realmAt(centre), patient)).freshness,
      "REALM_FRESHNESS_UNKNOWN",
    );
    const heartbeat = create(HeartbeatSchema, { realm: "fra", instance: "raw", epoch: BigInt(Date.now()) });
    const realm = await until(
      "the realm is current",
      async () => {
        connection.publish(heartbeatSubject("fra"), toBinary(HeartbeatSchema, heartbeat));
        const found = await realmAt(centre);
        return found?.freshness === "REALM_FRESHNESS_CURRENT" ? found : undefined;
      },
      patient,
    );
    assert.match(realm.detail ?? "", /not proven/);
    assert.ok(eventStream.name);
  });
});
