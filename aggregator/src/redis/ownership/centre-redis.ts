import { join } from "node:path";
import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import { readPrivateFile, replacePrivateFile } from "@realmwatch/shared/platform/files/private-file";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type RedisConnection, redisScript } from "../redis-connection.ts";
import { databaseOwnerKey } from "../redis-keys.ts";

/** Connection to a database that belongs to a centre: an aggregator, or several on one NATS. */
export type CentreRedis = RedisConnection & {
  /**
   * Identity of the centre, which is that of its streams, and part of the names of its keys: what an aggregator of another
   * centre writes, or wrote just before it learned of it, is never read. Empty while unknown.
   */
  readonly centre: string;
};

/**
 * Claims the database for an aggregator of a centre. A database without an owner, or whose owner has been claimed by no
 * aggregator for a while, is taken over if allowed. Keys: owner. Arguments: identity of the centre, id of the aggregator,
 * duration of the claim, ms; 1 to take a database with an owner; 1 to take one without. Returns the identity of the
 * owner, empty for none.
 */
const claimDatabase = redisScript(`
local key, centre, claim = KEYS[1], ARGV[1], 'until ' .. ARGV[2]
local time = redis.call('TIME')
local nowMs = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local kind = redis.call('TYPE', key).ok
if kind ~= 'hash' and kind ~= 'none' then redis.call('DEL', key) end
local owner = redis.call('HGET', key, 'centre') or ''
if owner ~= centre then redis.call('HDEL', key, claim) end
local entries, isClaimed = redis.call('HGETALL', key), false
for i = 1, #entries, 2 do
  if entries[i] ~= 'centre' then
    if (tonumber(entries[i + 1]) or 0) >= nowMs then isClaimed = true else redis.call('HDEL', key, entries[i]) end
  end
end
if owner ~= centre then
  if isClaimed or ARGV[owner == '' and 5 or 4] ~= '1' then return owner end
  redis.call('HSET', key, 'centre', centre)
end
redis.call('HSET', key, claim, string.format('%.0f', nowMs + tonumber(ARGV[3])))
return centre
`);

/**
 * Time for which a claim is valid, ms. A centre of which no aggregator has run for that long may lose its database to
 * another one, as after its streams were made anew.
 */
const claimForMs = 60_000;
const claimEveryMs = 2_000;
/** Interval at which the identity is compared, ms. */
const lookEveryMs = 100;

/** Memory over restarts: without NATS an aggregator knows its centre by it. */
type IdentityMemory = {
  /** Identity at the previous run; empty for none. */
  readonly identity: string;
  remember(identity: string): void;
};

type CentreRedisOptions = {
  readonly redis: RedisConnection;
  /** Returns the identity of the streams as NATS said it last; empty before. */
  readonly streamsIdentity: () => string;
  readonly memory: IdentityMemory;
  /** Unique id of this aggregator process. */
  readonly aggregator: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
};

/** Reason why a centre may not use a database; empty when it may. The owner is undefined until the database is claimed. */
function refusalOf(redisName: string, centre: string, owner: string | undefined): string {
  const database = `the database of Redis at ${redisName}`;
  const unknown = "NATS has not said yet which streams this centre has";
  if (centre === "") return `${database} is not used: ${unknown}`;
  if (owner === undefined) return `${database} is being claimed`;
  if (owner === centre) return "";
  if (owner === "") return `${database} belongs to no centre yet, and ${unknown}`;
  return `${database} belongs to another centre, whose stream SVC_STATE was made at ${owner}, not at ${centre}: give each centre a database of its own`;
}

/** Claims a database for the centre of this aggregator again and again, and calls `onOwned` when it becomes the owner. */
function openDatabaseClaim(options: CentreRedisOptions, onOwned: () => void) {
  const { redis, clock, memory, streamsIdentity } = options;
  let centre = memory.identity;
  /** Owner as of the last claim; undefined before the first one of a connection. A claim that fails changes nothing. */
  let owner: string | undefined;
  let nextClaimMs = 0;
  let isClaiming = false;
  let logged = "";
  const refusal = (): string => refusalOf(redis.name, centre, owner);

  function setOwner(found: string): void {
    const before = refusal();
    owner = found;
    const why = refusal();
    if (why !== logged) logOwner(options, why);
    logged = why;
    if (before !== "" && why === "" && redis.unavailableReason() === "") onOwned();
  }

  async function claim(): Promise<void> {
    isClaiming = true;
    nextClaimMs = clock.monotonic() + claimEveryMs;
    const [claimed, mayTake] = [centre, centre === streamsIdentity()];
    // A database that was another centre's until now was emptied: its owner claims it again before the next attempt.
    const wasForeign = owner !== undefined && owner !== "" && owner !== centre;
    try {
      const args = [claimed, options.aggregator, claimForMs, mayTake ? 1 : 0, mayTake && !wasForeign ? 1 : 0];
      const found = String(await redis.run(claimDatabase, [databaseOwnerKey], args));
      if (claimed === centre) setOwner(found);
    } catch {
      // The node with the owner may be away. Keys carry the identity, so nothing of another centre is read.
      if (claimed === centre && redis.unavailableReason() === "") setOwner(owner ?? centre);
    } finally {
      isClaiming = false;
    }
  }

  function look(): void {
    const identity = streamsIdentity();
    if (identity !== "" && identity !== centre) {
      [centre, owner, nextClaimMs] = [identity, undefined, 0];
      memory.remember(identity);
    }
    if (centre === "" || isClaiming || redis.unavailableReason() !== "" || clock.monotonic() < nextClaimMs) return;
    void claim();
  }
  const stopLooking = repeat(clock, lookEveryMs, look);
  redis.onUp(() => {
    // It may be another server than before.
    [owner, nextClaimMs] = [undefined, 0];
  });
  return { centre: () => centre, refusal, close: stopLooking };
}

function logOwner({ redis, log }: CentreRedisOptions, why: string): void {
  if (why === "") log.info({ redis: redis.name }, "Redis: the database belongs to this centre");
  else log.error({ redis: redis.name, why }, "Redis: the database is refused");
}

/**
 * [FD90] Lets a database be used while it belongs to the centre of this aggregator. While it belongs to another one, or
 * the own identity is unknown, it counts as away: it is neither read nor written.
 */
export function openCentreRedis(options: CentreRedisOptions): CentreRedis {
  const { redis } = options;
  const upListeners: (() => void)[] = [];
  const claim = openDatabaseClaim(options, () => {
    for (const listen of upListeners) listen();
  });
  const unavailableReason = (): string => redis.unavailableReason() || claim.refusal();
  const assertOwned = (): void => {
    const why = claim.refusal();
    if (why !== "") throw new Error(why);
  };
  return {
    get client() {
      assertOwned();
      return redis.client;
    },
    get isCluster() {
      return redis.isCluster;
    },
    get centre() {
      return claim.centre();
    },
    name: redis.name,
    servers: () => redis.servers(),
    deadNodes: () => redis.deadNodes(),
    async run(...call) {
      assertOwned();
      return redis.run(...call);
    },
    subscribe: (channel, onMessage) =>
      redis.subscribe(channel, (message) => unavailableReason() === "" && onMessage(message)),
    onUp(listen) {
      upListeners.push(listen);
      if (unavailableReason() === "") listen();
    },
    unavailableReason,
    outage() {
      const why = claim.refusal();
      return redis.outage() ?? (why === "" ? undefined : { kind: "owner", why });
    },
    onCommand: (measure) => redis.onCommand(measure),
    async close() {
      claim.close();
      await redis.close();
    },
  };
}

const maxBytes = 100;

/** Identity of the centre in the file `centre` of the data directory. A file that cannot be read or written is logged. */
export async function identityFile(dataDir: string, log: Pick<Log, "warn">): Promise<IdentityMemory> {
  const path = join(dataDir, "centre");
  const read = await readPrivateFile(path, maxBytes);
  if (!read.ok)
    log.warn({ path, why: read.error }, "Redis: the identity of this centre at the last run cannot be read");
  return {
    identity: (read.ok && read.value?.trim()) || "",
    remember: (identity) =>
      void replacePrivateFile(path, `${identity}\n`).then((written) => {
        if (!written.ok)
          log.warn(
            { path, why: written.error },
            "Redis: the identity of this centre cannot be written for the next run",
          );
      }),
  };
}
