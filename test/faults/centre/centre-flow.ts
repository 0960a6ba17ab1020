import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { realmKeys } from "@realmwatch/aggregator/redis/redis-keys";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { call } from "../../run/call.ts";
import {
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  type TestScope,
  tempFolder,
} from "../../run/processes.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";
import { wholeHistory } from "../kills/stored-records.ts";

export type UpdateFlowSize = {
  /** Number of passive hosts in each realm. */
  readonly objects: number;
  /** Number of results in one call. */
  readonly batch: number;
  /** Pause between two calls, ms. */
  readonly pauseMs: number;
};

/** Three realms and two aggregators over one Redis, with a constant flow of updates. */
export type UpdateFlow = {
  readonly realms: Readonly<Record<FaultRealm, TestProgram>>;
  readonly centres: readonly [TestProgram, TestProgram];
  readonly redisUrl: string;
  /** Pauses Redis, or lets it continue. */
  holdRedis(held: boolean): void;
  /** Starts a further aggregator, without Redis. */
  startAlone(): Promise<TestProgram>;
  /** Returns the number of updates sent so far. */
  sent(): number;
  /** Reloads a realm without the last `count` of its hosts; 0 for all hosts. */
  removeHosts(realm: FaultRealm, count: number): void;
  /** Stops the updates; resolves when all calls are answered. */
  stop(): Promise<void>;
};

/** `unreachable_after` of each realm, ms: longer than the interval of heartbeats, which is 5 s. */
export const unreachableAfterMs = 6_000;

const documentOf = (hosts: number): string => `
hosts: {for at in [${Array.from({ length: hosts }, (_, at) => at).join(", ")}] {"h\\(at)": {
	address: "127.0.0.1"
	labels: group: "\\(mod(at, 3))"
	check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}
}}}
processes: all: rule: any: [{ref: "h0"}, {ref: "h1"}]
`;

export async function startUpdateFlow(scope: TestScope, size: UpdateFlowSize): Promise<UpdateFlow> {
  const [nats, redis] = await Promise.all([startNats(scope), startRedis(scope)]);
  const folder = tempFolder(scope, "flow");
  const fileOf = (realm: FaultRealm): string => join(folder, `${realm}.cue`);
  const entries = await Promise.all(
    faultRealms.map(async (realm) => {
      writeFileSync(fileOf(realm), documentOf(size.objects));
      const flags = { "nats-url": nats.url, "log-level": "warn" };
      return [realm, await startTestAgent(scope, { config: fileOf(realm), realm, flags })] as const;
    }),
  );
  const realms = Object.fromEntries(entries) as Record<FaultRealm, TestProgram>;
  const document = `realms: {
	fra: {url: "${realms.fra.base}", unreachable_after: "${unreachableAfterMs}ms"}
	ams: unreachable_after: "${unreachableAfterMs}ms"
	dub: unreachable_after: "${unreachableAfterMs}ms"
}
`;
  const flags = { "nats-url": nats.url };
  const startCentre = (more: Readonly<Record<string, string>>): Promise<TestProgram> =>
    startTestAggregator(scope, { realms: document, flags: { ...flags, ...more } });
  const centres = await Promise.all([
    startCentre({ "redis-url": redis.url }),
    startCentre({ "redis-url": redis.url }),
  ] as const);
  let [sent, stopped] = [0, false];
  const hostCounts = new Map<FaultRealm, number>(faultRealms.map((realm) => [realm, size.objects]));
  const send = async (realm: FaultRealm): Promise<void> => {
    for (let turn = 0; !stopped; turn += 1) {
      const hosts = hostCounts.get(realm) ?? 0;
      const results = Array.from({ length: size.batch }, (_, at) => ({
        object: { host: { name: `h${(turn * size.batch + at) % hosts}` } },
        // Every third pass over the hosts is critical, so that history grows as well.
        status: Math.floor((turn * size.batch) / hosts) % 3 === 0 ? "STATUS_CRITICAL" : "STATUS_OK",
        output: `turn ${turn}`,
      }));
      const answer = await call(realms[realm].base, "CommandService/ProcessCheckResults", { results }).catch(
        () => undefined,
      );
      if (answer?.ok) sent += results.length;
      await sleep(size.pauseMs);
    }
  };
  const flowing = Promise.all(faultRealms.map(send));
  scope.after(async () => {
    stopped = true;
    await flowing;
  });
  return {
    realms,
    centres,
    redisUrl: redis.url,
    holdRedis: (held) => void process.kill(redis.pid, held ? "SIGSTOP" : "SIGCONT"),
    startAlone: () => startCentre({}),
    sent: () => sent,
    removeHosts(realm, count) {
      hostCounts.set(realm, size.objects - count);
      writeFileSync(fileOf(realm), documentOf(size.objects - count));
      realms[realm].signal("SIGHUP");
    },
    async stop() {
      stopped = true;
      await flowing;
    },
  };
}

/** [FE1] Reads the row versions in Redis repeatedly: none may become older. `stop` throws when one did. */
export function watchRedisVersions({ redisUrl }: UpdateFlow, everyMs: number): VersionWatch {
  const client = new Redis(redisUrl);
  const order = versionOrder();
  const ended = repeatedly(everyMs, async () => {
    for (const realm of faultRealms)
      for (const [ref, version] of Object.entries(await client.hgetall(realmKeys(realm).versions)))
        order.add(`${realm} ${ref}`, version.split(" "));
  });
  return {
    rowsRead: order.rowsRead,
    async stop() {
      await ended();
      client.disconnect();
      order.check();
    },
  };
}

/** Runs `step` repeatedly until the returned function is called. */
function repeatedly(everyMs: number, step: () => Promise<void>): () => Promise<void> {
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      await step();
      await sleep(everyMs);
    }
  })();
  return async () => {
    stopped = true;
    await running;
  };
}

/** Newest version by name, and each version that was older than the one before. */
function versionOrder() {
  const newest = new Map<string, readonly [epoch: number, revision: number]>();
  const regressions: string[] = [];
  let rowsRead = 0;
  return {
    rowsRead: () => rowsRead,
    add(name: string, version: readonly string[]): void {
      const [epoch = 0, revision = 0] = version.map(Number);
      const before = newest.get(name) ?? [0, 0];
      if (epoch < before[0] || (epoch === before[0] && revision < before[1]))
        regressions.push(`${name}: ${epoch}.${revision} after ${before.join(".")}`);
      else newest.set(name, [epoch, revision]);
      rowsRead += 1;
    },
    check(): void {
      assert.deepEqual(regressions.slice(0, 5), [], `${regressions.length} rows were replaced by older ones`);
      assert.ok(rowsRead > 0);
    },
  };
}

export type StatusJson = {
  readonly realm?: string;
  readonly object: object;
  readonly revision: string;
  readonly output?: string;
  readonly stale?: boolean;
};
type Status = {
  readonly rows: readonly StatusJson[];
  readonly realms: readonly { readonly name: string; readonly reachable: boolean; readonly lastSeen?: string }[];
};

/** Complete response of ListStatus; undefined while the program does not respond or fails. */
export async function fullStatus(
  { base }: Pick<TestProgram, "base">,
  request: object = {},
): Promise<Status | undefined> {
  const answer = await call(base, "QueryService/ListStatus", { pageSize: 100_000, ...request }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  assert.equal(answer.body["nextPageToken"] ?? "", "", "one page has all");
  const { rows = [], realms = [] } = answer.body as Partial<Status>;
  return { rows, realms };
}

export type VersionWatch = {
  /** Returns the number of rows read so far. */
  rowsRead(): number;
  stop(): Promise<void>;
};

/**
 * [FE1] Reads all rows of a centre repeatedly, over its restarts: no row may be older than one returned before, by epoch
 * and revision. `stop` throws when one was.
 */
export function watchRowVersions(centre: TestProgram, everyMs: number): VersionWatch {
  const order = versionOrder();
  const ended = repeatedly(everyMs, async () => {
    for (const { realm, object, revision } of (await fullStatus(centre))?.rows ?? [])
      order.add(`${realm} ${JSON.stringify(object)}`, revision.split("."));
  });
  return {
    rowsRead: order.rowsRead,
    async stop() {
      await ended();
      order.check();
    },
  };
}

/** Row as text with sorted keys, without the fields that differ between realm and centre. */
function canonical({ realm: _, revision: __, stale: ___, ...row }: StatusJson): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const rowsAsText = ({ rows }: Status): string[] => rows.map(canonical).sort();

/** [FE2] Waits until a centre returns the rows of each realm as its agent does. Resolves to the time taken, ms. */
export async function waitForConvergence(centre: TestProgram, { realms }: Pick<UpdateFlow, "realms">): Promise<number> {
  const startedMs = performance.now();
  let differs = "";
  await until(
    "the centre has the rows of the realms",
    async () => {
      for (const name of faultRealms) {
        const [own, theirs] = [await fullStatus(realms[name]), await fullStatus(centre, { realm: name })];
        if (own === undefined || theirs === undefined) return false;
        const [expected, found] = [rowsAsText(own), rowsAsText(theirs)];
        const at = expected.findIndex((text, index) => text !== found[index]);
        differs = `${name}: ${expected.length} rows, ${found.length} there; ${expected[at]} is ${found[at]}`;
        if (at >= 0 || expected.length !== found.length) return false;
      }
      return true;
    },
    { withinMs: 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${differs}`));
  return performance.now() - startedMs;
}

/** [FE2] Waits until the centre has each history record of the realms, once and no others. Resolves to their number. */
export async function waitForWholeHistory(
  centre: TestProgram,
  { realms }: Pick<UpdateFlow, "realms">,
): Promise<number> {
  const own = new Set<string>();
  for (const name of faultRealms) for (const { id } of await wholeHistory(realms[name], {})) own.add(`${name} ${id}`);
  let progress = "";
  const ids = await until(
    "the centre has all history",
    async () => {
      const found = ((await wholeHistory(centre, {})) as { id: string; realm?: string }[]).map(
        ({ id, realm }) => `${realm} ${id}`,
      );
      const missing = [...own].filter((id) => !found.includes(id));
      progress = `${found.length} of ${own.size}, ${missing.length} missing, such as ${missing.slice(0, 3).join(", ")}`;
      return missing.length === 0 && found;
    },
    { withinMs: 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${progress}`));
  assert.equal(new Set(ids).size, ids.length, "no record is duplicated");
  assert.deepEqual(
    ids.filter((id) => !own.has(id)),
    [],
    "the centre has no other records",
  );
  return ids.length;
}

/** Waits until rows of each realm change at a centre: it works, independent of the other one. */
export async function waitForProgress(centre: TestProgram): Promise<void> {
  const before = await until("the centre answers", () => fullStatus(centre), { withinMs: 60_000 });
  const revisions = new Map(
    before.rows.map(({ realm, object, revision }) => [`${realm} ${JSON.stringify(object)}`, revision]),
  );
  const changed = new Set<string>();
  await until(
    "rows of each realm change",
    async () => {
      for (const { realm = "", object, revision } of (await fullStatus(centre))?.rows ?? [])
        if (revisions.get(`${realm} ${JSON.stringify(object)}`) !== revision) changed.add(realm);
      return changed.size === faultRealms.length;
    },
    { withinMs: 60_000 },
  );
}
