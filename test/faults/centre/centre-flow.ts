import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { call } from "../../run/call.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import {
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";

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

const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;

const documentOf = (hosts: number): string => `
${numberedHosts(hosts, (at) => `address: "127.0.0.1", labels: group: "${at % 3}", ${passive}`)}
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
  atEnd(scope, async () => {
    stopped = true;
    await flowing;
  });
  return {
    realms,
    centres,
    redisUrl: redis.url,
    holdRedis: (held) => (held ? stopProcess(redis.pid) : void process.kill(redis.pid, "SIGCONT")),
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
