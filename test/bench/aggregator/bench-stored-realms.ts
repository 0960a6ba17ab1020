import { create, toBinary } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { HeartbeatSchema, RealmEpochSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { Row } from "@realmwatch/shared/row/row";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import {
  epochSubject,
  eventStream,
  heartbeatSubject,
  stateStream,
  stateSubject,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type NatsConnection } from "nats";
import { call } from "../../run/call.ts";
import { startTestAggregator, type TestProgram } from "../../run/processes.ts";

const patient = { withinMs: 600_000, everyMs: 50 };

/** Rows of realms that are stored in JetStream, without agents. */
export type StoredRealms = {
  readonly nats: SpawnedServer;
  readonly connection: NatsConnection;
  readonly names: readonly string[];
  readonly objects: number;
};

export async function storeRealms(
  scope: TestScope,
  count: number,
  objects: number,
  changeOf: (realm: string, at: number) => Partial<Row> = () => ({}),
): Promise<StoredRealms> {
  const nats = await startNatsServer();
  atEnd(scope, () => nats[Symbol.asyncDispose]());
  const connection = await connect({ servers: nats.url });
  atEnd(scope, () => connection.close());
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const names = Array.from({ length: count }, (_, at) => `realm-${at}`);
  for (const realm of names) {
    for (let at = 0; at < objects; at++) connection.publish(...rowMessage(realm, at, 1, changeOf(realm, at)));
    const marker = create(RealmEpochSchema, { realm, epoch: 1n, complete: true, rows: objects });
    await connection.jetstream().publish(epochSubject(realm), toBinary(RealmEpochSchema, marker));
  }
  return { nats, connection, names, objects };
}

/** Sends a heartbeat of each realm now and every five seconds until the scope ends. */
export function sendHeartbeats(scope: TestScope, { connection, names }: StoredRealms): void {
  const send = (): void => {
    for (const realm of names) {
      const at = timestampFromMs(systemClock.now());
      const heartbeat = create(HeartbeatSchema, { realm, instance: realm, epoch: 1n, at });
      connection.publish(heartbeatSubject(realm), toBinary(HeartbeatSchema, heartbeat));
    }
  };
  send();
  const timer = setInterval(send, 5_000);
  atEnd(scope, () => clearInterval(timer));
}

/** Message with a row of a stored realm; `change` overrides fields. */
export function rowMessage(
  realm: string,
  at: number,
  revision: number,
  change: Partial<Row> = {},
): [subject: string, data: Uint8Array] {
  const ref = `host-${Math.floor(at / 4)}!service-${at % 4}`;
  const row = rowFor(realm, ref, {
    revision,
    output: `HTTP OK: 200 in 12 ms, 4 kB, run ${revision}`,
    labels: { env: at % 3 === 0 ? "test" : "prod", rack: `r${at % 200}`, role: "web" },
    perfdata: [{ label: "time", value: 0.0123, uom: "s", warn: "", crit: "", min: 0, max: undefined }],
    lastCheckAtMs: systemClock.now(),
    // Later than any bench ends, so that rows that do not change are not overdue.
    nextCheckAtMs: systemClock.now() + 3_600_000,
    ...change,
  });
  const data = toBinary(StateRowSchema, stateRowToProto(row, { realm, atMs: systemClock.now() }));
  return [stateSubject(realm, keyOf(ref)), data];
}

/** Starts an aggregator and waits for all rows. Resolves with the time from its first answer on. */
export async function rebuild(
  scope: TestScope,
  stored: StoredRealms,
  redisUrl: string | undefined,
): Promise<{ readonly program: TestProgram; readonly seconds: number }> {
  const program = await startTestAggregator(scope, {
    realms: `realms: {\n${stored.names.map((name) => `\t"${name}": {}`).join("\n")}\n}\n`,
    flags: {
      "nats-url": stored.nats.url,
      "log-level": "error",
      ...(redisUrl === undefined ? {} : { "redis-url": redisUrl }),
    },
  });
  const startedMs = performance.now();
  await until(
    "all rows are read",
    async () => (await rowsOf(program)) === stored.names.length * stored.objects,
    patient,
  );
  await until("it is ready", async () => (await fetch(`${program.base}/readyz`)).ok, patient);
  return { program, seconds: (performance.now() - startedMs) / 1_000 };
}

async function rowsOf({ base }: TestProgram): Promise<number> {
  const { body } = await call(base, "QueryService/ListStatus", { pageSize: 1, omitRealms: true });
  const { counts = [] } = (body["summary"] ?? {}) as { counts?: { count: number }[] };
  return counts.reduce((sum, { count }) => sum + count, 0);
}
