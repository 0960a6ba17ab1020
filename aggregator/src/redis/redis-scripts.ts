import { redisScript } from "./redis-connection.ts";

/**
 * Writes rows and tombstones that are newer, by (epoch, revision), than what is there.
 * Keys: rows, versions, changes, meta. Arguments: channel, realm, then for each object its reference, epoch,
 * revision and row; an empty row means that the object is gone, and outranks a row of the same version too.
 * Answers how many were newer.
 */
export const writeRows = redisScript(`
local rows, versions, changes, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local known = redis.call('HMGET', meta, 'floor', 'counter')
local floor, counter = tonumber(known[1] or '0'), tonumber(known[2] or '0')
local written = 0
for i = 3, #ARGV, 4 do
  local ref, epoch, revision = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local newer = epoch >= floor
  local version = newer and redis.call('HGET', versions, ref)
  if version then
    local e, r = string.match(version, '^(%d+) (%d+)$')
    e, r = tonumber(e), tonumber(r)
    local ends = ARGV[i + 3] == '' and epoch == e and revision == r and redis.call('HEXISTS', rows, ref) == 1
    newer = epoch > e or (epoch == e and revision > r) or ends
  end
  if newer then
    counter = counter + 1
    written = written + 1
    redis.call('HSET', versions, ref, ARGV[i + 1] .. ' ' .. ARGV[i + 2])
    redis.call('ZADD', changes, string.format('%.0f', counter), ref)
    if ARGV[i + 3] == '' then redis.call('HDEL', rows, ref) else redis.call('HSET', rows, ref, ARGV[i + 3]) end
  end
end
if written > 0 then
  redis.call('HSET', meta, 'counter', string.format('%.0f', counter))
  redis.call('PUBLISH', ARGV[1], ARGV[2])
end
return written
`);

/**
 * Forgets what an epoch did not bring. Keys: rows, versions, changes, meta. Arguments: channel, realm, epoch.
 * Answers how many objects went.
 */
export const completeEpoch = redisScript(`
local rows, versions, changes, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local epoch = tonumber(ARGV[3])
if epoch <= tonumber(redis.call('HGET', meta, 'floor') or '0') then return 0 end
redis.call('HSET', meta, 'floor', ARGV[3])
local all, gone = redis.call('HGETALL', versions), 0
for i = 1, #all, 2 do
  if tonumber(string.match(all[i + 1], '^%d+')) < epoch then
    redis.call('HDEL', rows, all[i])
    redis.call('HDEL', versions, all[i])
    redis.call('ZREM', changes, all[i])
    gone = gone + 1
  end
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return gone
`);

/** Keeps a catalog if it is newer. Keys: meta. Arguments: channel, realm, epoch, revision, catalog. */
export const writeCatalog = redisScript(`
local epoch, revision = tonumber(ARGV[3]), tonumber(ARGV[4])
local version = redis.call('HGET', KEYS[1], 'catalogVersion')
if version then
  local e, r = string.match(version, '^(%d+) (%d+)$')
  e, r = tonumber(e), tonumber(r)
  if epoch < e or (epoch == e and revision <= r) then return 0 end
end
redis.call('HSET', KEYS[1], 'catalogVersion', ARGV[3] .. ' ' .. ARGV[4], 'catalog', ARGV[5])
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`);

/** Adds history records. Keys: history. Arguments: how many to keep, the oldest instant to keep, then instant and record each. */
export const writeHistory = redisScript(`
for i = 3, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[1]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[2])
return 0
`);

/** Keeps a sighting if its heartbeat is later. Keys: meta. Arguments: instant, sighting. */
export const writeLiveness = redisScript(`
if tonumber(ARGV[1]) <= tonumber(redis.call('HGET', KEYS[1], 'heartbeatAt') or '-1') then return 0 end
redis.call('HSET', KEYS[1], 'heartbeatAt', ARGV[1], 'sighting', ARGV[2])
return 1
`);

/**
 * What changed since a count. Keys: rows, versions, changes, meta. Arguments: count, how many at most.
 * Answers generation, counter, floor, catalog version, sighting, stored instant, history generation, the count
 * that the answer reaches, then reference, version and row of each object; an empty row means gone.
 */
export const readChanges = redisScript(`
local meta = redis.call('HMGET', KEYS[4], 'generation', 'counter', 'floor', 'catalogVersion', 'sighting', 'storedAt', 'historyGeneration')
local answer = {}
for i = 1, 7 do answer[i] = meta[i] or '' end
local found = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
answer[8] = #found > 0 and found[#found] or ARGV[1]
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = redis.call('HGET', KEYS[2], found[i]) or ''
  answer[#answer + 1] = redis.call('HGET', KEYS[1], found[i]) or ''
end
return answer
`);

/** Begins a rebuild. Keys: meta. Arguments: token. */
export const beginBuild = redisScript(`redis.call('HSET', KEYS[1], 'building', ARGV[1]) return 1`);

/**
 * Ends a rebuild: what is there is whole. Keys: meta. Arguments: channel, realm, token, field, newest stored
 * instant or empty. Answers 0 where the data was lost, or another rebuild began, in the meantime.
 */
export const finishBuild = redisScript(`
if redis.call('HGET', KEYS[1], 'building') ~= ARGV[3] then return 0 end
redis.call('HSET', KEYS[1], ARGV[4], ARGV[3])
if ARGV[5] ~= '' and tonumber(ARGV[5]) > tonumber(redis.call('HGET', KEYS[1], 'storedAt') or '-1') then
  redis.call('HSET', KEYS[1], 'storedAt', ARGV[5])
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`);

/** Gives up what only its holder may. Keys: lock. Arguments: token. */
export const releaseLock = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/** Holds a lock longer. Keys: lock. Arguments: token, ms. */
export const renewLock = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/**
 * Records from the newest to older ones. Keys: history. Arguments: the newest instant, the record after which to go
 * on or empty, how many. Nothing where that record is gone: what follows it is older and gone as well.
 */
export const readHistory = redisScript(`
local first
if ARGV[2] == '' then
  first = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
else
  local rank = redis.call('ZREVRANK', KEYS[1], ARGV[2])
  if not rank then return {} end
  first = rank + 1
end
return redis.call('ZREVRANGE', KEYS[1], first, first + tonumber(ARGV[3]) - 1)
`);
