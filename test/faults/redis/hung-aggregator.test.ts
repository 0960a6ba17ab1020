import { test } from "node:test";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { hostAt, passiveHosts, setHost, untilRealmIs } from "./redis-faults.ts";

const hosts = 10;
/** Bound for the six seconds of an idle machine, ms; the fourteen of a late redelivery exceed it. */
const mostHungMs = 12_000;
const millisecondsSince = (startedMs: number): number => Math.round(performance.now() - startedMs);

test("[FE8] what a hung aggregator had received shows at the other one", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const flags = { "nats-url": nats.url, "redis-url": redis.url };
  const start = () => startTestAggregator(t, { realms: "realms: fra: {}\n", flags });
  const [one, two] = [await start(), await start()];
  const agent = await startTestAgent(t, { config: passiveHosts(hosts), realm: "fra", flags: { "nats-url": nats.url } });
  for (const on of [one, two]) await untilRealmIs(on, { realm: "fra", freshness: "CURRENT", rows: hosts });
  const names = Array.from({ length: hosts }, (_, at) => `h${at}`);
  const setAll = (status: "OK" | "CRITICAL") => Promise.all(names.map((host) => setHost(agent, host, status)));
  const untilShown = (status: "OK" | "CRITICAL", withinMs?: number): Promise<unknown> =>
    until(
      `all rows are shown as ${status}`,
      async () => {
        const rows = await Promise.all(names.map((host) => hostAt(two, "fra", host)));
        return rows.every((row) => row?.status === `STATUS_${status}`);
      },
      withinMs === undefined ? {} : { withinMs },
    );
  const startedMs = performance.now();
  await setAll("OK");
  await untilShown("OK");
  // Allowance for other work on the machine: about a second on an idle one.
  const slownessMs = 3 * millisecondsSince(startedMs);

  one.signal("SIGSTOP");
  atEnd(t, () => one.signal("SIGCONT"));
  const hungMs = performance.now();
  await setAll("CRITICAL");
  await untilShown("CRITICAL", mostHungMs + slownessMs - millisecondsSince(hungMs));
  t.diagnostic(`shown after ${millisecondsSince(hungMs)} ms; ${slownessMs} ms were allowed for a slow machine`);
  await untilRealmIs(two, { realm: "fra", freshness: "CURRENT", rows: hosts });
  one.signal("SIGCONT");
  await untilRealmIs(one, { realm: "fra", freshness: "CURRENT", rows: hosts });
  // Rows of a realm that is current may be some seconds old, and were when the program was stopped.
  await until("the hung one shows it too", async () => (await hostAt(one, "fra", "h1"))?.status === "STATUS_CRITICAL");
});
