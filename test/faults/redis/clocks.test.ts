import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startNats, startRedis, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { findRealmAt, passiveHosts, untilRealmIs, withinAMinute } from "./redis-faults.ts";

/** Debian's libfaketime, which changes the wall clock of one process and not its monotonic clock. */
const library = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
const skip = existsSync(library) ? false : "libfaketime is not installed";
const realms = 'realms: {fra: {unreachable_after: "6s"}, ams: {unreachable_after: "6s"}}\n';

for (const offset of ["+5m", "-5m"])
  test(`[FD8] an aggregator whose clock is off by ${offset} misleads no other one about a realm`, {
    skip,
  }, async (t) => {
    const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
    const flags = { "nats-url": nats.url, "redis-url": redis.url };
    const env = { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: "1" };
    const wrong = await startTestAggregator(t, { realms, flags, env });
    const [fra] = await Promise.all(
      ["fra", "ams"].map((realm) =>
        startTestAgent(t, { config: passiveHosts(1), realm, flags: { "nats-url": nats.url } }),
      ),
    );
    for (const realm of ["fra", "ams"]) await untilRealmIs(wrong, { realm, freshness: "CURRENT", rows: 1 });
    assert.ok(
      Math.abs(Date.parse((await findRealmAt(wrong, "fra"))?.lastSeen ?? "") - Date.now()) > 200_000,
      "clock is off",
    );
    await fra?.stop("SIGKILL");
    const diedAtMs = Date.now();
    await until(
      "the realm is unreachable",
      async () => (await findRealmAt(wrong, "fra"))?.reachable === false,
      withinAMinute,
    );

    // It has received no heartbeat of the dead realm itself.
    const right = await startTestAggregator(t, { realms, flags });
    await untilRealmIs(right, { realm: "ams", freshness: "CURRENT", rows: 1 });
    const dead = await findRealmAt(right, "fra");
    assert.deepEqual([dead?.reachable, dead?.freshness], [false, "REALM_FRESHNESS_UNREACHABLE"]);
    assert.ok(Math.abs(Date.parse(dead?.lastSeen ?? "") - diedAtMs) < 15_000, `last_seen: ${dead?.lastSeen}`);

    // Nor does it take a living realm for dead before it hears it.
    const another = await startTestAggregator(t, { realms, flags });
    const seen = await until("ams is known", async () => {
      const state = await findRealmAt(another, "ams");
      return state?.lastSeen === undefined ? undefined : state;
    });
    assert.equal(seen.reachable, true);
  });
