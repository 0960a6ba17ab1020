import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema, RealmEventSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { allHistory, rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { eventSubject, heartbeatSubject, stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { openCentre } from "../centre/centre.ts";
import { openStreamMonitor } from "../ingest/stream-monitor.ts";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { FedModels } from "./fed-models.ts";
import { attachPort } from "./fed-port.fixture.ts";

const clock = systemClock;
const log = { info() {}, warn() {}, error() {} } as never;

/** Centre without Redis and without a port, with a realm that has three rows and one history record in the streams. */
async function open(t: TestContext) {
  const nats = await startNatsServer();
  const bus = openNatsBus({ url: nats.url, credsFile: "", name: "test", clock, log });
  const metrics = openMetrics({ version: "", commit: "" });
  const streams = openStreamMonitor({ bus, clock, log, metrics, replicas: undefined });
  const plan = compileRealmsDocument({ realms: { eu: {} } });
  assert.ok(plan.ok);
  const fed = new FedModels(clock);
  const centre = openCentre(
    { plan: plan.value, tokens: new Map(), evaluationMs: 0 },
    {
      ...{ bus, heartbeatBus: bus, redis: undefined, fed, clock, log, metrics, mint: idGenerator(clock) },
      ...{ forwardTimeoutMs: 1_000, historyRetentionMs: 3_600_000 },
    },
  );
  t.after(async () => {
    await Promise.all([centre.close(), streams.close()]);
    metrics.close();
    await bus.close();
    await nats[Symbol.asyncDispose]();
  });
  const publish = (subject: string, data: Uint8Array) =>
    until(`${subject} is published`, async () => bus.live()?.jetstream().publish(subject, data));
  for (const [at, name] of ["a", "b", "c"].entries()) {
    const row = rowFor("eu", name, { epoch: 1_000, revision: at + 1 });
    const message = stateRowToProto(row, { realm: "eu", atMs: clock.now() });
    await publish(stateSubject("eu", keyOf(name)), toBinary(StateRowSchema, message));
  }
  const record = { realm: "eu", seq: 1, atMs: clock.now(), type: "config" } as const;
  await publish(eventSubject("eu"), toBinary(RealmEventSchema, realmEventToProto(record, "eu")));
  bus.publish(
    heartbeatSubject("eu"),
    toBinary(HeartbeatSchema, create(HeartbeatSchema, { realm: "eu", instance: "one", epoch: 1_000n })),
  );
  return { fed, centre };
}

test("[PT41] a port that replaces another one is filled from NATS, and answers nothing before", async (t) => {
  const { fed, centre } = await open(t);
  const isFull = (port: ReturnType<typeof attachPort>) =>
    until("the port has all rows and the history", async () => {
      if ((await port.refusal()) !== "") return false;
      const history = await port.model.history(allHistory);
      return (await port.rows()).rows === 3 && history.ok && history.value.records.length === 1;
    });
  const first = attachPort(fed, centre.state);
  t.after(first.close);
  assert.match(await first.refusal(), /not opened yet/);
  centre.fill();
  await isFull(first);
  const second = attachPort(fed, centre.state);
  t.after(second.close);
  assert.match(await second.refusal(), /is being opened/, "the rows of the first port are not those of the second one");
  centre.fill();
  await isFull(second);
  assert.equal((await second.rows()).held, 3);
});
