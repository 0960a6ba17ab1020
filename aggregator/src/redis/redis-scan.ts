import type { RedisConnection } from "./redis-connection.ts";
import { realmKeysPattern } from "./redis-keys.ts";

const keysPerStep = 1_000;

/** Keys that match a pattern, of all servers, in batches. Rejects when a server is away. */
export async function* scanKeys(redis: RedisConnection, pattern: string): AsyncGenerator<readonly string[], undefined> {
  for (const server of redis.servers()) {
    let cursor = "0";
    do {
      const [next, keys] = await server.scan(cursor, "MATCH", pattern, "COUNT", keysPerStep);
      if (keys.length > 0) yield keys;
      cursor = next;
    } while (cursor !== "0");
  }
}

/** Deletes keys one by one, because those of several realms may be on several servers. */
export async function deleteKeys({ client }: RedisConnection, keys: readonly string[]): Promise<void> {
  await Promise.all(keys.map((key) => client.unlink(key)));
}

/** Deletes all keys of a realm, of every schema version and centre. */
export async function deleteRealmKeys(redis: RedisConnection, realm: string): Promise<void> {
  for await (const keys of scanKeys(redis, realmKeysPattern(realm))) await deleteKeys(redis, keys);
}
