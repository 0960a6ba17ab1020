import assert from "node:assert/strict";
import { test } from "node:test";
import { natsSubCommands } from "@realmwatch/aggregator/commands/nats-sub-commands";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { openFaultProxy } from "../../run/fault-proxy.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../../run/processes.ts";
import { findRealmAt, passiveHosts, setHost, untilRealmIs, withinAMinute } from "./redis-faults.ts";

const realms = `realms: {fra: unreachable_after: "6s", ams: {}}\n`;

async function historyOf({ base }: TestProgram, realm: string): Promise<unknown> {
  const { ok, code, body } = await call(base, "QueryService/ListHistory", { realm });
  return ok ? ((body["records"] ?? []) as unknown[]).length : code;
}

/** Waits until nothing of a realm is left at an aggregator that still lists it: of its history it knows nothing, which it says. */
const untilForgotten = (aggregator: TestProgram, realm: string) =>
  until(
    `${realm} is forgotten at ${aggregator.base}`,
    async () => {
      const state = await findRealmAt(aggregator, realm);
      const isEmpty = state !== undefined && (state.rowsHeld ?? 0) === 0 && (state.rowsExpected ?? 0) === 0;
      return (
        isEmpty &&
        state.freshness !== "REALM_FRESHNESS_CURRENT" &&
        (await historyOf(aggregator, realm)) === "unavailable"
      );
    },
    { ...withinAMinute, seen: () => aggregator.output().slice(-2_000) },
  );

test("[FD92] running aggregators forget a realm, one without NATS once it is back, and know it again from its start on", async (t) => {
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const link = await openFaultProxy(t, nats.port);
  const start = (flags: Readonly<Record<string, string>>) => startTestAggregator(t, { realms, flags });
  const aggregators = await Promise.all([
    start({ "nats-url": nats.url }),
    start({ "nats-url": nats.url, "redis-url": redis.url }),
    start({ "nats-url": nats.url.replace(`:${nats.port}`, `:${link.port}`) }),
  ]);
  const [alone, shared, away] = aggregators;
  const startRealm = (realm: string, hosts: number) =>
    startTestAgent(t, { config: passiveHosts(hosts), realm, flags: { "nats-url": nats.url } });
  const [fra] = await Promise.all([startRealm("fra", 3), startRealm("ams", 2)]);
  await setHost(fra, "h1", "CRITICAL");
  for (const aggregator of aggregators) {
    await untilRealmIs(aggregator, { realm: "fra", freshness: "CURRENT", rows: 3 });
    await until("the history is there", async () => Number(await historyOf(aggregator, "fra")) > 0);
  }

  await fra.stop("SIGKILL");
  link.setLink({ cut: "both" });
  link.breakAll();
  const nothing = { natsCreds: undefined, natsCa: undefined, natsCert: undefined, natsKey: undefined };
  const values = { ...nothing, natsUrl: hideSecret(nats.url), redisUrl: undefined, force: true } as never;
  const done = await natsSubCommands["forget-realm"].run({ words: ["fra"], values, readStdin: async () => "" });
  assert.match(done.ok ? done.value : "", /^realm fra is forgotten: \d+ messages deleted$/);
  for (const aggregator of [alone, shared]) await untilForgotten(aggregator, "fra");
  const unaware = await untilRealmIs(away, { realm: "fra", freshness: "UNREACHABLE" });
  assert.equal(unaware.rowsHeld, 3, "it cannot know yet");
  link.setLink({});
  await untilForgotten(away, "fra");
  for (const aggregator of aggregators) await untilRealmIs(aggregator, { realm: "ams", freshness: "CURRENT", rows: 2 });

  await startRealm("fra", 1);
  for (const aggregator of aggregators) await untilRealmIs(aggregator, { realm: "fra", freshness: "CURRENT", rows: 1 });
  // A further aggregator meets the marker in the stream, before the rows.
  const late = await start({ "nats-url": nats.url });
  await untilRealmIs(late, { realm: "fra", freshness: "CURRENT", rows: 1 });
});
