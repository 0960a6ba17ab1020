import { redisScript } from "./redis-connection.ts";

/**
 * Writes rows and tombstones that are newer, by (epoch, revision), than the stored ones.
 * Keys: rows, versions, changes, meta. Arguments: channel, realm, then for each object its reference, epoch, revision,
 * number of its message and row; an empty row removes the object, and supersedes a row of the same version too.
 * Returns the number of newer ones.
 */
export const writeRows = redisScript(`
local rows, versions, changes, meta = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local known = redis.call('HMGET', meta, 'floor', 'counter')
local floor, counter = tonumber(known[1] or '0'), tonumber(known[2] or '0')
local written = 0
for i = 3, #ARGV, 5 do
  local ref, epoch, revision = ARGV[i], tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2])
  local newer = epoch >= floor
  local version = newer and redis.call('HGET', versions, ref)
  if version then
    local e, r = string.match(version, '^(%d+) (%d+)')
    e, r = tonumber(e), tonumber(r)
    local ends = ARGV[i + 4] == '' and epoch == e and revision == r and redis.call('HEXISTS', rows, ref) == 1
    newer = epoch > e or (epoch == e and revision > r) or ends
  end
  if newer then
    counter = counter + 1
    written = written + 1
    redis.call('HSET', versions, ref, ARGV[i + 1] .. ' ' .. ARGV[i + 2] .. ' ' .. ARGV[i + 3])
    redis.call('ZADD', changes, string.format('%.0f', counter), ref)
    if ARGV[i + 4] == '' then redis.call('HDEL', rows, ref) else redis.call('HSET', rows, ref, ARGV[i + 4]) end
  end
end
if written > 0 then
  redis.call('HSET', meta, 'counter', string.format('%.0f', counter))
  redis.call('PUBLISH', ARGV[1], ARGV[2])
end
return written
`);

/**
 * Removes objects of earlier epochs. Keys: rows, versions, changes, meta. Arguments: channel, realm, epoch.
 * Returns the number of removed objects.
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

/** Stores a catalog if it is newer. Keys: meta. Arguments: channel, realm, epoch, revision, catalog. */
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

/** Adds history records. Keys: history. Arguments: maximum number, oldest time, then time and record of each. */
export const writeHistory = redisScript(`
for i = 3, #ARGV, 2 do redis.call('ZADD', KEYS[1], ARGV[i], ARGV[i + 1]) end
redis.call('ZREMRANGEBYRANK', KEYS[1], 0, -1 - tonumber(ARGV[1]))
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', '(' .. ARGV[2])
return 0
`);

/** Stores liveness if its heartbeat is later. Keys: meta. Arguments: time, liveness. */
export const writeLiveness = redisScript(`
if tonumber(ARGV[1]) <= tonumber(redis.call('HGET', KEYS[1], 'heartbeatAt') or '-1') then return 0 end
redis.call('HSET', KEYS[1], 'heartbeatAt', ARGV[1], 'liveness', ARGV[2])
return 1
`);

/**
 * Reads changes after a change number. Keys: rows, versions, changes, meta. Arguments: change number, maximum number.
 * Returns generation, counter, floor, catalog version, liveness, stored time, history generation, the change number
 * that the answer reaches, then reference, version and row of each object; an empty row means removed.
 */
export const readChanges = redisScript(`
local meta = redis.call('HMGET', KEYS[4], 'generation', 'counter', 'floor', 'catalogVersion', 'liveness', 'storedAt', 'historyGeneration')
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
 * Ends a rebuild: the data is complete. Keys: meta. Arguments: channel, realm, token, field, time of the newest stored
 * message or empty. Returns 0 when the data was lost, or another rebuild began, in the meantime.
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

/** Releases a lock if `token` holds it. Keys: lock. Arguments: token. */
export const releaseLock = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
`);

/** Extends a lock if `token` holds it. Keys: lock. Arguments: token, ms. */
export const renewLock = redisScript(`
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 0
`);

/**
 * Reads records, newest first. Keys: history. Arguments: newest time, the record after which to continue or empty,
 * maximum number. Returns none when that record is gone, because older ones are gone as well.
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

/** Lets keys without an expiry expire at the same time. Keys: any. Arguments: ms. */
export const expireKeys = redisScript(`
for _, key in ipairs(KEYS) do
  if redis.call('PTTL', key) == -1 then redis.call('PEXPIRE', key, ARGV[1]) end
end
return 0
`);
