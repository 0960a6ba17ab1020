import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { readinessOf, storedKeys, withinAMinute } from "../redis/redis-faults.ts";
import type { FederationEnvironment } from "./federation-environment.ts";

/** Deletes everything in Redis. */
export const flushStore = ({ redis }: FederationEnvironment): Promise<unknown> =>
  withClient(redis.url, (client) => client.flushall());

/** [FD91] Changes the content of a row of a realm, and keeps its version. `place`: its place among all, in [0, 1). */
export const alterRow = ({ redis }: FederationEnvironment, realm: string, place: number): Promise<unknown> =>
  withClient(redis.url, async (client) => {
    const { rows } = await storedKeys(client, realm);
    const stored = Object.entries(await client.hgetall(rows));
    const [reference, row = ""] = stored[Math.floor(place * stored.length)] ?? [];
    // The database may be empty, as after another fault.
    if (reference !== undefined) await client.hset(rows, reference, row.replace('"output":"', '"output":"altered '));
  });

/** [FD90] Runs an aggregator of another centre on the same Redis, which has to refuse it. */
export async function runStranger({ startStranger }: FederationEnvironment, forMs: number): Promise<void> {
  const stranger = await startStranger();
  await until(
    "the stranger refuses the database",
    async () => (await readinessOf(stranger, "redis")).detail.includes("another centre"),
    withinAMinute,
  );
  await sleep(forMs);
  await stranger.stop("SIGKILL");
}

async function withClient(url: string, run: (client: Redis) => Promise<unknown>): Promise<void> {
  const client = new Redis(url);
  try {
    await run(client);
  } finally {
    client.disconnect();
  }
}
