import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import { type RedisConnection, type RedisReply, redisScript } from "./redis-connection.ts";
import { revokedSessionsKey } from "./redis-keys.ts";

/** Text that aggregators share until a time. */
type SharedText = { readonly text: string /** Unix ms. */; readonly until: number };

/** Receiver of the texts that aggregators share. */
type TextFollower = {
  /** Returns the texts that must be stored: Redis may have lost them. */
  own(): readonly SharedText[];
  /** Receives stored texts: those of other aggregators, and own ones again. */
  onStored(texts: readonly string[]): void;
};

/** Interval of reading all texts, ms: messages of a channel are lost while a connection is. */
const readEveryMs = 10_000;
/** Time that a start waits for Redis, ms. */
const firstReadWithinMs = 1_000;
/** Time for which a text is stored after its end, ms, because clocks differ. */
const graceMs = 300_000;
const textsPerCall = 500;
/** Number of texts that are read at a time. The oldest ends are left out: these end soonest. */
const maxTexts = 100_000;

/** Arguments: channel, time before which texts are dropped, then `until` and text by turns. */
const storeTexts = redisScript(`
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[2])
for i = 3, #ARGV, 2 do
  if redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) == 1 then redis.call('PUBLISH', ARGV[1], ARGV[i + 1]) end
end
local last = redis.call('ZRANGE', KEYS[1], -1, -1, 'WITHSCORES')[2]
if last then redis.call('PEXPIREAT', KEYS[1], string.format('%d', tonumber(last) + ${graceMs})) end
return 1
`);
const readTexts = redisScript(`return redis.call('ZREVRANGEBYSCORE', KEYS[1], '+inf', ARGV[1], 'LIMIT', 0, ARGV[2])`);

/** Opens the revocations that aggregators share. While Redis is away nothing rejects, and all is caught up later. */
export function openRedisRevocations(options: {
  readonly redis: Pick<RedisConnection, "run" | "subscribe" | "onUp">;
  readonly clock: Clock;
}) {
  const { redis, clock } = options;
  let isMissing = false;
  let stopReads = (): void => {};

  async function add(texts: readonly SharedText[]): Promise<void> {
    try {
      for (let at = 0; at < texts.length; at += textsPerCall) {
        const part = texts.slice(at, at + textsPerCall).flatMap(({ text, until }) => [until, text]);
        await redis.run(storeTexts, [revokedSessionsKey], [revokedSessionsKey, clock.now() - graceMs, ...part]);
      }
    } catch {
      isMissing = true;
    }
  }

  async function exchange({ own, onStored }: TextFollower): Promise<void> {
    if (isMissing) {
      isMissing = false;
      await add(own());
    }
    try {
      const stored = await redis.run(readTexts, [revokedSessionsKey], [clock.now() - graceMs, maxTexts]);
      onStored(textsOf(stored));
    } catch {
      // The next read catches up.
    }
  }

  return {
    /** Stores texts and publishes them. Without Redis nothing happens: the follower's own ones are stored later. */
    add,
    /** Passes all texts to the follower, now and later; resolves after the first read, or after one second. */
    follow(follower: TextFollower) {
      redis.subscribe(revokedSessionsKey, (text) => follower.onStored([text]));
      stopReads = repeat(clock, readEveryMs, () => void exchange(follower));
      return new Promise<void>((resolve) => {
        const cancelWait = clock.after(firstReadWithinMs, resolve);
        redis.onUp(() => {
          // Another server, or one that was restarted, may not have them.
          isMissing = true;
          void exchange(follower).then(() => {
            cancelWait();
            resolve();
          });
        });
      });
    },
    close: () => stopReads(),
  };
}

const textsOf = (reply: RedisReply): readonly string[] =>
  Array.isArray(reply) ? reply.filter((text) => typeof text === "string") : [];
