import { setTimeout as sleep } from "node:timers/promises";
import { startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd, openScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";
import { sized } from "../runner/bench-size.ts";
import { rebuild, rowMessage, type StoredRealms, sendHeartbeats, storeRealms } from "./bench-stored-realms.ts";

/** Changed rows a second, and the time for which they are sent. */
const changes = { rate: 2_000, forMs: sized(15_000, 4_000) } as const;

const realms = sized(100, 20);
const polls = sized(15, 3);

/** Sends changed rows at a steady rate. Resolves with the processor time that processes took for them, s. */
async function sendChanges(
  stored: StoredRealms,
  revision: number,
  pids: readonly number[],
): Promise<readonly number[]> {
  const before = pids.map(cpuSecondsOfTree);
  const startedMs = performance.now();
  for (let sent = 0; performance.now() - startedMs < changes.forMs; await sleep(20)) {
    const due = ((performance.now() - startedMs) / 1_000) * changes.rate;
    for (; sent < due; sent++) {
      const realm = stored.names[sent % stored.names.length] ?? "";
      stored.connection.publish(
        ...rowMessage(realm, Math.floor(sent / stored.names.length) % stored.objects, revision + sent),
      );
    }
  }
  await stored.connection.flush();
  await sleep(1_000);
  return pids.map((pid, at) => cpuSecondsOfTree(pid) - (before[at] ?? 0));
}

async function pageMs({ base }: TestProgram, request: object): Promise<number> {
  const times = [];
  for (let turn = 0; turn < 30; turn++) {
    const startedMs = performance.now();
    const answer = await call(base, "QueryService/ListStatus", { pageSize: 200, omitRealms: true, ...request });
    if (!answer.ok) throw new Error(answer.message);
    times.push(performance.now() - startedMs);
  }
  return times.sort((a, b) => a - b)[times.length / 2] ?? 0;
}

/** Measures the rebuild of 100 realms into memory and into an empty Redis, a flow of changes, and pages. */
export async function benchRedisBesideMemory(): Promise<BenchRow[]> {
  await using scope = openScope();
  const stored = await storeRealms(scope, realms, 1_000);
  const memory = await rebuild(scope, stored, undefined);
  const [inMemory = 0] = await sendChanges(stored, 1_000, [memory.program.pid]);
  const plain = await pageMs(memory.program, {});
  const selected = await pageMs(memory.program, { selector: "env=prod,role=web" });
  await memory.program.stop();
  const server = await startRedisServer();
  atEnd(scope, () => server[Symbol.asyncDispose]());
  const redis = await rebuild(scope, stored, server.url);
  const [throughRedis = 0, ofRedis = 0] = await sendChanges(stored, 100_000, [redis.program.pid, server.pid]);
  const cpu = (name: string, seconds: number, against?: string): BenchRow => ({
    name,
    rate: (seconds * 1_000) / ((changes.rate * changes.forMs) / 1_000),
    unit: "ms/row",
    ...(against === undefined ? {} : { against }),
  });
  return [
    ...rebuildRows(realms, memory.seconds, redis.seconds),
    cpu("2 000 changed rows/s, memory", inMemory),
    cpu("2 000 changed rows/s, Redis", throughRedis, "2 000 changed rows/s, memory"),
    cpu("2 000 changed rows/s, the Redis server", ofRedis),
    { name: "page of 200", rate: plain, unit: "ms" },
    { name: "page of 200 by labels", rate: selected, unit: "ms", against: "page of 200" },
  ];
}

const rebuildRows = (realms: number, memory: number, redis: number): BenchRow[] => [
  { name: `rebuild of ${realms} realms into memory`, rate: memory, unit: "s" },
  {
    name: `rebuild of ${realms} realms into Redis`,
    rate: redis,
    unit: "s",
    against: `rebuild of ${realms} realms into memory`,
  },
];

/** Measures the size of the answers to a client that polls 1 000 realms of 10 objects with heartbeats. */
export async function benchThousandRealms(): Promise<BenchRow[]> {
  await using scope = openScope();
  const stored = await storeRealms(scope, sized(1_000, 100), 10);
  const { program } = await rebuild(scope, stored, undefined);
  sendHeartbeats(scope, stored);
  await sleep(6_000);
  const first = await call(program.base, "QueryService/ListStatus", {});
  let { revision } = first.body as { revision: string };
  let most = 0;
  for (let poll = 0; poll < polls; poll++) {
    await sleep(3_000);
    const { body } = await call(program.base, "QueryService/ListStatus", { changedSince: revision });
    revision = body["revision"] as string;
    most = Math.max(most, JSON.stringify({ ...body, rows: [] }).length);
  }
  const size = (body: object): number => JSON.stringify({ ...body, rows: [] }).length;
  return [
    { name: "full answer beside its rows", rate: size(first.body), unit: "B JSON" },
    { name: `largest of ${polls} polls beside its rows`, rate: most, unit: "B JSON" },
  ];
}
