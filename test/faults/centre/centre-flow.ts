import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { realmKeys } from "@realmwatch/aggregator/redis/redis-keys";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { call } from "../../run/call.ts";
import {
  type TestScope,
  type TestProgram,
  startTestAgent,
  startTestAggregator,
  startNats,
  startRedis,
  tempFolder,
} from "../../run/processes.ts";
import { wholeHistory } from "../kills/stored-records.ts";

/** Names of realms; the first one has a URL, the others are reached over NATS. */
export const flowRealms = ["fra", "ams", "dub"] as const;
export type FlowRealm = (typeof flowRealms)[number];

export type UpdateFlowSize = {
  /** Passive hosts of each realm. */
  readonly objects: number;
  /** Results sent in one call, and the pause between two of them, ms. */
  readonly batch: number;
  readonly pauseMs: number;
};

/** Three realms and two aggregators over one Redis, with a flow of updates through them. */
export type UpdateFlow = {
  readonly realms: Readonly<Record<FlowRealm, TestProgram>>;
  readonly centres: readonly [TestProgram, TestProgram];
  readonly redisUrl: string;
  /** Has Redis stand still, or go on. */
  holdRedis(held: boolean): void;
  /** Starts a further aggregator, without Redis. */
  startAlone(): Promise<TestProgram>;
  /** Updates sent so far. */
  sent(): number;
  /** Has a realm run without the last `count` of its hosts, or with all of them where that is 0. */
  removeHosts(realm: FlowRealm, count: number): void;
  /** Sends no more; resolves when what was sent is answered. */
  stop(): Promise<void>;
};

/** Longer than the pause between two heartbeats, which is five seconds. */
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
  const fileOf = (realm: FlowRealm): string => join(folder, `${realm}.cue`);
  const entries = await Promise.all(
    flowRealms.map(async (realm) => {
      writeFileSync(fileOf(realm), documentOf(size.objects));
      const flags = { "nats-url": nats.url, "log-level": "warn" };
      return [realm, await startTestAgent(scope, { config: fileOf(realm), realm, flags })] as const;
    }),
  );
  const realms = Object.fromEntries(entries) as Record<FlowRealm, TestProgram>;
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
  const kept = new Map<FlowRealm, number>(flowRealms.map((realm) => [realm, size.objects]));
  const send = async (realm: FlowRealm): Promise<void> => {
    for (let turn = 0; !stopped; turn += 1) {
      const hosts = kept.get(realm) ?? 0;
      const results = Array.from({ length: size.batch }, (_, at) => ({
        object: { host: { name: `h${(turn * size.batch + at) % hosts}` } },
        // Every third batch breaks or mends its hosts, so that history grows too.
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
  const flowing = Promise.all(flowRealms.map(send));
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
      kept.set(realm, size.objects - count);
      writeFileSync(fileOf(realm), documentOf(size.objects - count));
      realms[realm].signal("SIGHUP");
    },
    async stop() {
      stopped = true;
      await flowing;
    },
  };
}

/** [I6] Looks at the versions in Redis again and again: none may be older than it was. What it finds is thrown by `stop`. */
export function watchRedisVersions({ redisUrl }: UpdateFlow, everyMs: number): VersionWatch {
  const client = new Redis(redisUrl);
  const order = versionOrder();
  const ended = repeatedly(everyMs, async () => {
    for (const realm of flowRealms)
      for (const [ref, version] of Object.entries(await client.hgetall(realmKeys(realm).versions)))
        order.look(`${realm} ${ref}`, version.split(" "));
  });
  return {
    rowsRead: order.looked,
    async stop() {
      await ended();
      client.disconnect();
      order.check();
    },
  };
}

/** Does `step` again and again until the returned function ends it. */
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

/** Remembers the newest version by name, and whatever was older than that. */
function versionOrder() {
  const newest = new Map<string, readonly [epoch: number, revision: number]>();
  const wrong: string[] = [];
  let looked = 0;
  return {
    looked: () => looked,
    look(name: string, version: readonly string[]): void {
      const [epoch = 0, revision = 0] = version.map(Number);
      const before = newest.get(name) ?? [0, 0];
      if (epoch < before[0] || (epoch === before[0] && revision < before[1]))
        wrong.push(`${name}: ${epoch}.${revision} after ${before.join(".")}`);
      else newest.set(name, [epoch, revision]);
      looked += 1;
    },
    check(): void {
      assert.deepEqual(wrong.slice(0, 5), [], `${wrong.length} rows went back`);
      assert.ok(looked > 0);
    },
  };
}

export type StatusJson = {
  readonly realm?: string;
  readonly object: object;
  readonly revision: string;
  readonly output?: string;
};
type Status = {
  readonly rows: readonly StatusJson[];
  readonly realms: readonly { readonly name: string; readonly reachable: boolean; readonly lastSeen?: string }[];
};

/** What ListStatus answers, whole; undefined while the program is away or says so. */
export async function fullStatus({ base }: Pick<TestProgram, "base">, request: object = {}): Promise<Status | undefined> {
  const answer = await call(base, "QueryService/ListStatus", { pageSize: 100_000, ...request }).catch(() => undefined);
  if (!answer?.ok) return undefined;
  assert.equal(answer.body["nextPageToken"] ?? "", "", "one page has all");
  const { rows = [], realms = [] } = answer.body as Partial<Status>;
  return { rows, realms };
}

export type VersionWatch = {
  /** Rows looked at so far. */
  rowsRead(): number;
  stop(): Promise<void>;
};

/**
 * [I6] Reads all rows of a centre again and again, over its deaths: no row may be older than one it showed before, by
 * epoch and revision. What it finds is thrown by `stop`.
 */
export function watchRowVersions(centre: TestProgram, everyMs: number): VersionWatch {
  const order = versionOrder();
  const ended = repeatedly(everyMs, async () => {
    for (const { realm, object, revision } of (await fullStatus(centre))?.rows ?? [])
      order.look(`${realm} ${JSON.stringify(object)}`, revision.split("."));
  });
  return {
    rowsRead: order.looked,
    async stop() {
      await ended();
      order.check();
    },
  };
}

/** Keys in order, without what only one of the two sides can know. */
function canonical({ realm: _, revision: __, ...row }: StatusJson): string {
  return JSON.stringify(row, (_key, value: unknown) =>
    value !== null && typeof value === "object" && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
}

const rowsAsText = ({ rows }: Status): string[] => rows.map(canonical).sort();

/** [I7] Waits until what a centre shows of each realm is what its agent shows. Answers how long that took, ms. */
export async function waitForConvergence(centre: TestProgram, { realms }: Pick<UpdateFlow, "realms">): Promise<number> {
  const startedMs = performance.now();
  let differs = "";
  await until(
    "the centre shows what the realms show",
    async () => {
      for (const name of flowRealms) {
        const [own, theirs] = [await fullStatus(realms[name]), await fullStatus(centre, { realm: name })];
        if (own === undefined || theirs === undefined) return false;
        const [expected, found] = [rowsAsText(own), rowsAsText(theirs)];
        const at = expected.findIndex((text, index) => text !== found[index]);
        differs = `${name}: ${expected.length} rows, ${found.length} there; ${expected[at]} is ${found[at]}`;
        if (at >= 0 || expected.length !== found.length) return false;
      }
      return true;
    },
    { withinMs: 40_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${differs}`));
  return performance.now() - startedMs;
}

/** Waits until the centre's history is the realms' history: nothing is missing, and nothing twice. Answers its length. */
export async function waitForWholeHistory(centre: TestProgram, { realms }: Pick<UpdateFlow, "realms">): Promise<number> {
  const own = new Set<string>();
  for (const name of flowRealms) for (const { id } of await wholeHistory(realms[name], {})) own.add(`${name} ${id}`);
  let said = "";
  const ids = await until(
    "the centre has all of history",
    async () => {
      const found = ((await wholeHistory(centre, {})) as { id: string; realm?: string }[]).map(
        ({ id, realm }) => `${realm} ${id}`,
      );
      const missing = [...own].filter((id) => !found.includes(id));
      said = `${found.length} of ${own.size}, ${missing.length} missing, such as ${missing.slice(0, 3).join(", ")}`;
      return missing.length === 0 && found;
    },
    { withinMs: 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${said}`));
  assert.equal(new Set(ids).size, ids.length, "no record is there twice");
  assert.deepEqual(
    ids.filter((id) => !own.has(id)),
    [],
    "the centre knows of nothing that no realm knows",
  );
  return ids.length;
}

/** Waits until more went through a centre than it has shown: it works, whatever became of the other one. */
export async function waitForProgress(centre: TestProgram): Promise<void> {
  const before = await until("the centre answers", () => fullStatus(centre), { withinMs: 60_000 });
  const was = new Map(
    before.rows.map(({ realm, object, revision }) => [`${realm} ${JSON.stringify(object)}`, revision]),
  );
  const moved = new Set<string>();
  await until(
    "each realm's rows move",
    async () => {
      for (const { realm = "", object, revision } of (await fullStatus(centre))?.rows ?? [])
        if (was.get(`${realm} ${JSON.stringify(object)}`) !== revision) moved.add(realm);
      return moved.size === flowRealms.length;
    },
    { withinMs: 60_000 },
  );
}
