import assert from "node:assert/strict";
import { test } from "node:test";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { eventStream, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect } from "nats";
import { startNats, startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";

type Ready = {
  readonly ready: boolean;
  readonly dependencies: Readonly<Record<string, { readonly ok: boolean; readonly detail: string }>>;
};

async function readyOf({ base }: TestProgram): Promise<readonly [http: number, page: Ready]> {
  const answer = await fetch(`${base}/readyz`);
  return [answer.status, (await answer.json()) as Ready];
}

const isConnected = async (agent: TestProgram): Promise<boolean> =>
  (await readyOf(agent))[1].dependencies["nats"]?.detail === "connected";

/** Makes the streams, as an aggregator does. */
async function makeStreams(url: string): Promise<void> {
  const connection = await connect({ servers: url });
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  await connection.close();
}

async function waitingRecords({ base }: TestProgram): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return Number(/^realmwatch_outbox_records (\d+)$/m.exec(text)?.[1]);
}

test("[NB1] an agent without NATS is ready, and reports what waits", async (t) => {
  const nats = await startNats(t);
  await makeStreams(nats.url);
  const agent = await startTestAgent(t, {
    config: `hosts: db: {address: "a", check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}}\n`,
    flags: { "nats-url": nats.url },
  });
  await until("NATS has all of it", async () => (await waitingRecords(agent)) === 0 && (await isConnected(agent)));

  await nats.stop();
  await sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: "db" } }, status: "STATUS_CRITICAL" });
  await until("a record waits", async () => (await waitingRecords(agent)) > 0);
  await until("the reason is reported", async () => !(await readyOf(agent))[1].dependencies["nats"]?.ok);
  const [http, page] = await readyOf(agent);
  assert.deepEqual([http, page.ready], [200, true]);
  assert.match(page.dependencies["nats"]?.detail ?? "", /1 rows and 1 events wait$/);
  assert.deepEqual(page.dependencies["engine"], { ok: true, needed: true, detail: "runs" });
  assert.deepEqual(page.dependencies["journal"], { ok: true, needed: true, detail: "accepts writes" });
  assert.equal((await fetch(`${agent.base}/healthz`)).status, 200);

  await nats.restart();
  await until("nothing waits", async () => (await waitingRecords(agent)) === 0);
  await until("all is well", () => isConnected(agent));
});
