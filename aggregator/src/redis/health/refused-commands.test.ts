import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type SpawnedServer, startRedisServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { quietLog } from "../redis.fixture.ts";
import { ReconnectingRedis } from "../redis-connection.ts";
import { findRefusedCommands } from "./refused-commands.ts";

let server: SpawnedServer;
let admin: Redis;
before(async () => {
  server = await startRedisServer();
  admin = new Redis(server.url);
});
after(async () => {
  admin.disconnect();
  await server[Symbol.asyncDispose]();
});

async function refusedAt(url: string): Promise<readonly string[]> {
  const redis = new ReconnectingRedis({ url, clock: systemClock, log: quietLog });
  try {
    await until("connected to Redis", () => redis.unavailableReason() === "", { seen: redis.unavailableReason });
    return await findRefusedCommands(redis.servers());
  } finally {
    await redis.close();
  }
}

/** Rules of an ACL beside those of docs/how-to/redis.md, and the commands that it then refuses. */
const rules: readonly (readonly [rules: string, refused: readonly string[]])[] = [
  ["", []],
  ["-eval -evalsha", ["EVALSHA", "EVAL"]],
  ["-evalsha", ["EVALSHA"]],
  ["-eval", ["EVAL"]],
  ["-hset", ["HSET"]],
  ["-zadd -getset", ["ZADD", "GETSET"]],
  ["-info -scan -time", ["TIME", "SCAN", "INFO"]],
  ["-del -unlink", ["DEL", "UNLINK"]],
  ["resetchannels", ["PUBLISH"]],
];
for (const [more, refused] of rules)
  test(`[FD93] with an ACL ${more === "" ? "as documented" : `with ${more}`}, ${refused.join(", ") || "no command"} is named`, async () => {
    const documented = "on >pw ~rw:* &rw:* -@all +@read +@write +@scripting +@pubsub +@connection +info +scan +time";
    await admin.call("ACL", "SETUSER", "rw", "reset", ...documented.split(" "), ...more.split(" ").filter(Boolean));
    assert.deepEqual(await refusedAt(server.url.replace("//", "//rw:pw@")), refused);
    assert.equal(await admin.dbsize(), 0);
  });

test("[FD93] renamed commands are named", async () => {
  await using renamed = await startRedisServer(["--rename-command", "EVALSHA", "", "--rename-command", "EVAL", "run"]);
  assert.deepEqual(await refusedAt(renamed.url), ["EVALSHA", "EVAL"]);
  await using other = await startRedisServer(["--rename-command", "HDEL", ""]);
  assert.deepEqual(await refusedAt(other.url), ["HDEL"]);
});
