import type { TextMap } from "@realmwatch/shared/platform/text-store";
import { type RedisConnection, redisScript } from "./redis-connection.ts";

const readAll = redisScript(`return redis.call('HGETALL', KEYS[1])`);
const setText = redisScript(`return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])`);
const deleteText = redisScript(`return redis.call('HDEL', KEYS[1], ARGV[1])`);

/** Texts in a hash of Redis, shared by all aggregators. */
export const redisTextMap = (redis: Pick<RedisConnection, "run">, key: string): TextMap => ({
  async all() {
    const reply = await redis.run(readAll, [key], []);
    const words = Array.isArray(reply) ? reply.map(String) : [];
    return new Map(words.flatMap((name, at) => (at % 2 === 0 ? [[name, words[at + 1] ?? ""]] : [])));
  },
  async set(name, text) {
    if (text === undefined) await redis.run(deleteText, [key], [name]);
    else await redis.run(setText, [key], [name, text]);
  },
});
