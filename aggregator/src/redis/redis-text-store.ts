import type { Clock } from "@realmwatch/shared/model/clock";
import type { TextLimits, TextStore } from "@realmwatch/shared/platform/text-store";
import { type RedisConnection, type RedisReply, redisScript } from "./redis-connection.ts";

/** Sets the text unless the key has one, and returns the text of the key. Arguments: text, ms for which it is stored. */
const addText = redisScript(`
redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return redis.call('GET', KEYS[1])
`);
const readText = redisScript(`return redis.call('GET', KEYS[1])`);
/**
 * Adds a key to the sorted set of all keys, as `<key> <length of its text>` by its time, and removes from the set the keys
 * that have expired and the oldest ones of too many, which it returns. Arguments: member, time and the time before which
 * keys have expired, both Unix ms, maximum number, maximum length of all texts together.
 */
const indexText = redisScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[3])
redis.call('ZADD', KEYS[1], 'NX', ARGV[2], ARGV[1])
local removed, number, length = {}, 0, 0
for _, member in ipairs(redis.call('ZREVRANGE', KEYS[1], 0, -1)) do
  number = number + 1
  length = length + tonumber(string.match(member, '%d+$'))
  if number > tonumber(ARGV[4]) or length > tonumber(ARGV[5]) then
    redis.call('ZREM', KEYS[1], member)
    removed[#removed + 1] = string.match(member, '^%S+')
  end
end
return removed
`);
/** Arguments: last and first time, Unix ms, number of keys to leave out, maximum number. */
const listTexts = redisScript(`
return redis.call('ZREVRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', ARGV[3], ARGV[4])
`);
const deleteText = redisScript(`return redis.call('DEL', KEYS[1])`);

type RedisTextStoreOptions = {
  readonly redis: Pick<RedisConnection, "run">;
  /** Key of the set of all keys; each text has a key that begins with it. */
  readonly indexKey: string;
  readonly limits: TextLimits;
  readonly clock: Pick<Clock, "now">;
};

/** Texts in Redis, shared by all aggregators. Each has a key of its own, so that a cluster can place them anywhere. */
export function redisTextStore({ redis, indexKey, limits, clock }: RedisTextStoreOptions): TextStore {
  const keyOf = (key: string): string => `${indexKey}:${key}`;

  async function trim(key: string, length: number): Promise<void> {
    const nowMs = clock.now();
    const { keptMs, maxTexts, maxLength } = limits;
    const bounds = [`${key} ${length}`, nowMs, nowMs - keptMs, maxTexts, maxLength];
    for (const removed of listOf(await redis.run(indexText, [indexKey], bounds)))
      await redis.run(deleteText, [keyOf(removed)], []);
  }
  return {
    async read(key) {
      return textOf(await redis.run(readText, [keyOf(key)], []));
    },
    async add(key, text) {
      const stored = textOf(await redis.run(addText, [keyOf(key)], [text, limits.keptMs])) ?? text;
      await trim(key, stored.length);
      return stored;
    },
    async list({ fromMs = "-inf", toMs = "+inf", offset, limit }) {
      const members = listOf(await redis.run(listTexts, [indexKey], [toMs, fromMs, offset, limit]));
      const texts = members.map(async (member, at) => {
        const [key = ""] = member.split(" ");
        const text = at % 2 === 0 ? textOf(await redis.run(readText, [keyOf(key)], [])) : undefined;
        return text === undefined ? [] : [{ key, text, atMs: Number(members[at + 1]) }];
      });
      return (await Promise.all(texts)).flat();
    },
  };
}

const textOf = (reply: RedisReply): string | undefined => (typeof reply === "string" ? reply : undefined);
const listOf = (reply: RedisReply): readonly string[] =>
  Array.isArray(reply) ? reply.filter((one) => typeof one === "string") : [];
