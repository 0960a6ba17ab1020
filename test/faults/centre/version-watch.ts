import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import type { TestProgram } from "../../run/processes.ts";
import { faultRealms } from "../fault-realms.ts";
import { storedKeys } from "../redis/redis-faults.ts";
import type { UpdateFlow } from "./centre-flow.ts";
import { fullStatus } from "./centre-rows.ts";

type VersionWatch = {
  /** Returns the number of rows read so far. */
  rowsRead(): number;
  stop(): Promise<void>;
};

/** [FE1] Reads the row versions in Redis repeatedly: none may become older. `stop` throws when one did. */
export function watchRedisVersions({ redisUrl }: UpdateFlow, everyMs: number): VersionWatch {
  const client = new Redis(redisUrl);
  const order = versionOrder();
  const ended = repeatedly(everyMs, async () => {
    for (const realm of faultRealms)
      for (const [ref, version] of Object.entries(await client.hgetall((await storedKeys(client, realm)).versions)))
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
