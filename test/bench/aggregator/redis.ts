import { toBinary } from "@bufbuild/protobuf";
import { Ingest } from "@realmwatch/aggregator/ingest/ingest";
import { inTestCentre } from "@realmwatch/aggregator/redis/redis.fixture";
import { ReconnectingRedis } from "@realmwatch/aggregator/redis/redis-connection";
import { openRedisReplica } from "@realmwatch/aggregator/redis/redis-replica";
import { RedisStore } from "@realmwatch/aggregator/redis/redis-store";
import { StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { setUpStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { startNatsServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { eventStream, stateStream, stateSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { silentEvents } from "../../../aggregator/src/ingest/reread-realm.ts";
import type { BenchRow } from "../bench-row.ts";

const clock = systemClock;
const log = { info() {}, warn() {} };
const realms = Array.from({ length: 20 }, (_, i) => `realm-${i}`);
const objectsOfRealm = 1_000;

/** Measures the rate of rows from JetStream through Redis into an aggregator's memory, and the latency of one row. */
export async function benchRedis(): Promise<BenchRow[]> {
  await using nats = await startNatsServer();
  await using redisServer = await startRedisServer();
  const bus = openNatsBus({ url: nats.url, credsFile: "", name: "bench", clock, log });
  await new Promise((resolve) => bus.onUp(resolve));
  const redis = inTestCentre(new ReconnectingRedis({ url: redisServer.url, clock, log }));
  await new Promise<void>((resolve) => redis.onUp(resolve));
  try {
    return await measure({ bus, redis });
  } finally {
    await redis.close();
    await bus.close();
  }
}

type Servers = { bus: ReturnType<typeof openNatsBus>; redis: ReturnType<typeof inTestCentre> };

async function measure({ bus, redis }: Servers): Promise<BenchRow[]> {
  const store = new RedisStore({ redis, clock, historyLength: () => 10_000, historyRetentionMs: 2 ** 40 });
  for (const realm of realms) {
    await store.beginBuild(realm, "bench");
    await store.finishBuild(realm, "bench", { part: "rows", storedAtMs: undefined });
  }
  const history = { history: async () => ({ ok: true, value: { records: [], nextPageToken: "" } }) as const };
  const model = memoryReadModel({ generation: "bench", history });
  let applied = 0;
  const replica = openRedisReplica({
    realms,
    redis,
    clock,
    log,
    target: {
      ...model,
      applyCatalogParts() {},
      apply(changes) {
        applied += changes.length;
        model.apply(changes);
      },
    },
    onLiveness() {},
    onStateChange() {},
    onLoss() {},
    onDamage() {},
  });
  const connection = bus.live();
  if (connection === undefined) throw new Error("NATS went away");
  await setUpStreams(await connection.jetstreamManager(), [stateStream, eventStream]);
  const total = realms.length * objectsOfRealm;
  for (let i = 0; i < total; i++) connection.publish(...message(i, 1));
  await connection.flush();

  const before = process.cpuUsage();
  const startedMs = clock.monotonic();
  const ingest = new Ingest({
    bus,
    clock,
    log,
    isListed: () => true,
    write: (batch) => store.write(batch),
    consumerPrefix: "bench",
    historyRetentionMs: 2 ** 40,
    events: silentEvents,
  });
  await until(() => applied >= total);
  const seconds = (clock.monotonic() - startedMs) / 1_000;
  const { user, system } = process.cpuUsage(before);
  const latenciesMs = [];
  for (let i = 0; i < 300; i++) {
    const seen = applied;
    const sentMs = clock.monotonic();
    connection.publish(...message(i, 2));
    await until(() => applied > seen);
    latenciesMs.push(clock.monotonic() - sentMs);
  }
  latenciesMs.sort((a, b) => a - b);
  await ingest.close();
  replica.close();
  return [
    {
      name: "rows through Redis into memory",
      rate: total / seconds,
      unit: "rows/s",
      cpuMs: (user + system) / 1_000 / total,
    },
    { name: "a lone row, median", rate: latenciesMs[150] ?? 0, unit: "ms" },
    { name: "a lone row, slowest of 300", rate: latenciesMs.at(-1) ?? 0, unit: "ms" },
  ];
}

function message(i: number, revision: number): [subject: string, data: Uint8Array] {
  const realm = realms[i % realms.length] ?? "";
  const ref = `host-${Math.floor(i / realms.length / 4)}!service-${i % 4}-${i}`;
  const row = rowFor(realm, ref, {
    revision,
    output: `HTTP OK: 200 in 12 ms, 4 kB, run ${i}`,
    labels: { env: "prod", rack: `r${i % 200}`, role: "web" },
    perfdata: [{ label: "time", value: 0.0123, uom: "s", warn: "", crit: "", min: 0, max: undefined }],
    lastCheckAtMs: clock.now(),
    nextCheckAtMs: clock.now() + 60_000,
  });
  const data = toBinary(StateRowSchema, stateRowToProto(row, { realm, atMs: clock.now() }));
  return [stateSubject(realm, keyOf(ref)), data];
}

function until(holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const poll = (): unknown => (holds() ? resolve() : setImmediate(poll));
    poll();
  });
}
