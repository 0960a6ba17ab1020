import { redisScript } from "./redis-connection.ts";

/**
 * Functions of the scripts. Values that are not numbers, because they were overwritten, count as 0, so that a damaged
 * value never stops the writes of its realm. `now` is the time of the Redis server, ms.
 */
const functions = `
local function number(text)
  local value = tonumber(text or '') or 0
  if value ~= value or value < 0 or value > 9007199254740991 then return 0 end
  return value
end
local function now()
  local time = redis.call('TIME')
  return tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
end
local function whole(value) return string.format('%.0f', value) end
`;

/**
 * Writes rows and tombstones that are newer, by (epoch, revision), than the stored ones.
 * Keys: rows, versions, changes, meta, removed. Arguments: channel, realm, then for each object its reference, its
 * version as stored and row; an empty row removes the object, and supersedes a row of the same version too. Returns the
 * number of newer ones.
 */
export const writeRows = redisScript(`${functions}
local rows, versions, changes, meta, removed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local known = redis.call('HMGET', meta, 'floor', 'counter')
local last = redis.call('ZREVRANGE', changes, 0, 0, 'WITHSCORES')
local floor, counter = number(known[1]), math.max(number(known[2]), number(last[2]))
local written, atMs = 0, whole(now())
for i = 3, #ARGV, 3 do
  local ref, version, row = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local epoch, revision = string.match(version, '^(%d+) (%d+)')
  epoch, revision = tonumber(epoch), tonumber(revision)
  local ends = row == ''
  local newer = epoch >= floor
  local e, r = string.match(newer and redis.call('HGET', versions, ref) or '', '^(%d+) (%d+)')
  if e then
    e, r = tonumber(e), tonumber(r)
    newer = epoch > e or (epoch == e and revision > r)
      or (ends and epoch == e and revision == r and redis.call('HEXISTS', rows, ref) == 1)
  end
  if newer then
    counter = counter + 1
    written = written + 1
    redis.call('HSET', versions, ref, version)
    redis.call('ZADD', changes, whole(counter), ref)
    if ends then
      redis.call('HDEL', rows, ref)
      redis.call('ZADD', removed, atMs, ref)
    else
      redis.call('HSET', rows, ref, row)
      redis.call('ZREM', removed, ref)
    end
  end
end
if written > 0 then
  redis.call('HSET', meta, 'counter', whole(counter))
  redis.call('PUBLISH', ARGV[1], ARGV[2])
end
return written
`);

/**
 * Removes objects of earlier epochs. Keys: rows, versions, changes, meta, removed. Arguments: channel, realm, epoch.
 * Returns the number of removed objects.
 */
export const completeEpoch = redisScript(`${functions}
local rows, versions, changes, meta, removed = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local epoch = tonumber(ARGV[3])
if epoch <= number(redis.call('HGET', meta, 'floor')) then return 0 end
redis.call('HSET', meta, 'floor', ARGV[3])
local all, gone = redis.call('HGETALL', versions), 0
for i = 1, #all, 2 do
  if number(string.match(all[i + 1], '^%d+')) < epoch then
    redis.call('HDEL', rows, all[i])
    redis.call('HDEL', versions, all[i])
    redis.call('ZREM', changes, all[i])
    redis.call('ZREM', removed, all[i])
    gone = gone + 1
  end
end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return gone
`);

/**
 * Stores a part of a catalog if it is newer, and deletes older ones that its kind does not have any more. Where the
 * number of changes was lost with the other metadata, it begins again, so that readers find the catalog. Keys: meta, catalog. Arguments: channel, realm, kind, number, number of parts of the kind, part as stored.
 */
export const writeCatalogPart = redisScript(`${functions}
local meta, catalog, kind = KEYS[1], KEYS[2], ARGV[3]
local epoch, revision = string.match(ARGV[6], '^(%d+) (%d+) ')
epoch, revision = tonumber(epoch), tonumber(revision)
local function supersedes(value)
  local e, r = string.match(value or '', '^(%d+) (%d+) ')
  if not e then return true end
  e, r = tonumber(e), tonumber(r)
  return epoch > e or (epoch == e and revision > r)
end
local field = kind .. '.' .. ARGV[4]
if not supersedes(redis.call('HGET', catalog, field)) then
  redis.call('HSETNX', meta, 'catalogVersion', '1')
  return 0
end
redis.call('HSET', catalog, field, ARGV[6])
for _, other in ipairs(redis.call('HKEYS', catalog)) do
  local itsKind, itsNumber = string.match(other, '^(%l+)%.(%d+)$')
  if itsKind == kind and tonumber(itsNumber) >= tonumber(ARGV[5]) and supersedes(redis.call('HGET', catalog, other)) then
    redis.call('HDEL', catalog, other)
  end
end
redis.call('HSET', meta, 'catalogVersion', whole(number(redis.call('HGET', meta, 'catalogVersion')) + 1))
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`);

/**
 * Stores liveness if its heartbeat is later, as of the Redis server's clock: the clocks of aggregators may differ.
 * Keys: meta. Arguments: age of the heartbeat, ms; the writer's wall clock; clock skew of the realm as the writer
 * measured it, or empty; the other fields.
 */
export const writeLiveness = redisScript(`${functions}
local nowMs = now()
local heardMs, known = nowMs - tonumber(ARGV[1]), number(redis.call('HGET', KEYS[1], 'heartbeatAt'))
if heardMs <= known and known <= nowMs then return 0 end
local skewMs = ARGV[3] == '' and '' or whole(tonumber(ARGV[3]) + tonumber(ARGV[2]) - nowMs)
redis.call('HSET', KEYS[1], 'heartbeatAt', whole(heardMs), 'liveness', ARGV[4], 'clockSkew', skewMs)
return 1
`);

/**
 * Reads changes after a change number. Keys: rows, versions, changes, meta, history. Arguments: change number, maximum
 * number, generation whose rows are not wanted. The rows of an incomplete realm are not wanted either.
 * Returns generation, counter, floor, catalog version, liveness, stored time, history generation, the change number
 * that the answer reaches, the server's time, time of the last heartbeat, clock skew, number of rows, of versions and of
 * changes, the change number up to which removed objects are deleted, 1 when the history was lost; then reference,
 * version and row of each object; an empty row means removed.
 */
export const readChanges = redisScript(`${functions}
local meta = redis.call('HMGET', KEYS[4], 'generation', 'counter', 'floor', 'catalogVersion', 'liveness', 'storedAt',
  'historyGeneration', 'heartbeatAt', 'clockSkew', 'pruned', 'hasHistory')
local answer = {}
for i = 1, 7 do answer[i] = meta[i] or '' end
local last = redis.call('ZREVRANGE', KEYS[3], 0, 0, 'WITHSCORES')
answer[2] = whole(math.max(number(answer[2]), number(last[2])))
answer[8] = ARGV[1]
answer[9], answer[10], answer[11] = whole(now()), meta[8] or '', meta[9] or ''
answer[12], answer[13] = redis.call('HLEN', KEYS[1]), redis.call('HLEN', KEYS[2])
answer[14], answer[15] = redis.call('ZCARD', KEYS[3]), meta[10] or ''
answer[16] = (meta[11] == '1' and redis.call('EXISTS', KEYS[5]) == 0) and 1 or 0
if answer[1] == '' or answer[1] == ARGV[3] then return answer end
local found = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. ARGV[1], '+inf', 'WITHSCORES', 'LIMIT', 0, ARGV[2])
if #found > 0 then answer[8] = found[#found] end
for i = 1, #found, 2 do
  answer[#answer + 1] = found[i]
  answer[#answer + 1] = redis.call('HGET', KEYS[2], found[i]) or ''
  answer[#answer + 1] = redis.call('HGET', KEYS[1], found[i]) or ''
end
return answer
`);

/**
 * Deletes objects that cannot be read, so that they can be written again. Keys: rows, versions, changes, removed, meta.
 * Arguments: for each object its reference, its version as it was read and the SHA-1 of its row. One that was written
 * since stays. Returns the number of deleted ones.
 */
export const discardObjects = redisScript(`
local rows, versions, changes, removed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local gone = 0
for i = 1, #ARGV, 3 do
  local ref = ARGV[i]
  local row = redis.call('HGET', rows, ref) or ''
  if (redis.call('HGET', versions, ref) or '') == ARGV[i + 1] and redis.sha1hex(row) == ARGV[i + 2] then
    redis.call('HDEL', rows, ref)
    redis.call('HDEL', versions, ref)
    redis.call('ZREM', changes, ref)
    redis.call('ZREM', removed, ref)
    gone = gone + 1
  end
end
return gone
`);

/** Deletes a catalog that cannot be read. Keys: meta, catalog. Arguments: number of its changes as it was read. */
export const discardCatalog = redisScript(`
if redis.call('HGET', KEYS[1], 'catalogVersion') ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[2])
`);

/** Deletes the history of a realm, so that it is rebuilt. Keys: history, meta. Arguments: channel, realm. */
export const clearHistory = redisScript(`
redis.call('DEL', KEYS[1])
redis.call('HDEL', KEYS[2], 'historyGeneration', 'hasHistory')
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`);

/**
 * Deletes the data of a damaged realm, so that it is rebuilt; liveness stays. Keys: meta, then the others. Arguments:
 * channel, realm, generation in which the damage was found: a realm that was rebuilt since stays.
 */
export const clearRealm = redisScript(`
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then
  redis.call('DEL', KEYS[1])
elseif ARGV[3] ~= '' and redis.call('HGET', KEYS[1], 'generation') ~= ARGV[3] then
  return 0
end
redis.call('HDEL', KEYS[1], 'generation', 'historyGeneration', 'building', 'floor', 'counter', 'pruned', 'storedAt',
  'catalogVersion', 'hasHistory', 'historyRuns', 'historyTrimmed')
for i = 2, #KEYS do redis.call('DEL', KEYS[i]) end
redis.call('PUBLISH', ARGV[1], ARGV[2])
return 1
`);

/**
 * Deletes what is stored of objects that were removed long ago. Keys: versions, changes, meta, removed. Arguments: age,
 * ms; maximum number. Returns the number of deleted ones. Readers that have not passed them see it by `pruned`.
 */
export const pruneRemoved = redisScript(`${functions}
local versions, changes, meta, removed = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local old = redis.call('ZRANGEBYSCORE', removed, '-inf', whole(now() - tonumber(ARGV[1])), 'LIMIT', 0, ARGV[2])
local pruned = number(redis.call('HGET', meta, 'pruned'))
for _, ref in ipairs(old) do
  redis.call('ZREM', removed, ref)
  if string.match(redis.call('HGET', versions, ref) or '', ' x$') then
    pruned = math.max(pruned, number(redis.call('ZSCORE', changes, ref)))
    redis.call('HDEL', versions, ref)
    redis.call('ZREM', changes, ref)
  end
end
if #old > 0 then redis.call('HSET', meta, 'pruned', whole(pruned)) end
return #old
`);

/** Claims a realm for an aggregator that lists it. Keys: listed. Arguments: id of the aggregator, duration, ms. */
export const claimRealm = redisScript(`${functions}
local nowMs = now()
redis.call('HSET', KEYS[1], ARGV[1], whole(nowMs + tonumber(ARGV[2])))
local claims = redis.call('HGETALL', KEYS[1])
for i = 1, #claims, 2 do
  if number(claims[i + 1]) < nowMs then redis.call('HDEL', KEYS[1], claims[i]) end
end
return 1
`);

/**
 * Gives up the claim of an aggregator, if it has one, and deletes the realm's data when no other one claims it.
 * Keys: listed, then the others. Arguments: channel, realm, id of the aggregator. Returns 1 while another one claims it.
 */
export const releaseRealm = redisScript(`${functions}
if redis.call('TYPE', KEYS[1]).ok ~= 'hash' then redis.call('DEL', KEYS[1]) end
redis.call('HDEL', KEYS[1], ARGV[3])
local nowMs, claims = now(), redis.call('HVALS', KEYS[1])
for _, untilMs in ipairs(claims) do
  if number(untilMs) >= nowMs then return 1 end
end
if redis.call('DEL', unpack(KEYS)) > 0 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return 0
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
