import { redisScript } from "./redis-connection.ts";

/**
 * Adds history records. Keys: history, meta. Arguments: maximum number, oldest time, the runs of the records as in the
 * field `historyRuns`, maximum number of runs, then time and record of each. `hasHistory` shows later that the records
 * were lost.
 */
export const writeHistory = redisScript(`
local history, meta, most = KEYS[1], KEYS[2], tonumber(ARGV[1])
for i = 5, #ARGV, 2 do redis.call('ZADD', history, ARGV[i], ARGV[i + 1]) end
local known = redis.call('HMGET', meta, 'historyRuns', 'historyTrimmed')
local runs, merged = {}, {}
for from, fromAt, to, toAt in string.gmatch((known[1] or '') .. ',' .. ARGV[3], '(%d+) (-?%d+) (%d+) (-?%d+)') do
  runs[#runs + 1] = { tonumber(from), fromAt, tonumber(to), toAt, from, to }
end
table.sort(runs, function(a, b) return a[1] < b[1] end)
for _, run in ipairs(runs) do
  local last = merged[#merged]
  if not last or run[1] > last[3] + 1 then merged[#merged + 1] = run
  elseif run[3] > last[3] then last[3], last[4], last[6] = run[3], run[4], run[6] end
end
local texts = {}
for i = math.max(1, #merged - tonumber(ARGV[4]) + 1), #merged do
  texts[#texts + 1] = merged[i][5] .. ' ' .. merged[i][2] .. ' ' .. merged[i][6] .. ' ' .. merged[i][4]
end
local trimmedAt, trimmedSeq = string.match(known[2] or '', '^(-?%d+) (%d+)$')
local function trim(record)
  if #record == 0 then return end
  local at, seq = string.format('%.0f', tonumber(record[2])), string.match(record[1], '^%d+') or '0'
  local older = trimmedAt and (tonumber(at) - tonumber(trimmedAt) < 0
    or (tonumber(at) == tonumber(trimmedAt) and tonumber(seq) <= tonumber(trimmedSeq)))
  if not older then trimmedAt, trimmedSeq = at, seq end
end
local count = redis.call('ZCARD', history)
if count > most then trim(redis.call('ZRANGE', history, count - most - 1, count - most - 1, 'WITHSCORES')) end
trim(redis.call('ZREVRANGEBYSCORE', history, '(' .. ARGV[2], '-inf', 'WITHSCORES', 'LIMIT', 0, 1))
redis.call('ZREMRANGEBYRANK', history, 0, -1 - most)
redis.call('ZREMRANGEBYSCORE', history, '-inf', '(' .. ARGV[2])
redis.call('HSET', meta, 'hasHistory', redis.call('EXISTS', history), 'historyRuns', table.concat(texts, ','),
  'historyTrimmed', trimmedAt and trimmedAt .. ' ' .. trimmedSeq or '')
return 0
`);

/**
 * Reads records, newest first. Keys: history, meta. Arguments: newest time, the record after which to continue or empty,
 * maximum number. Returns the fields `historyRuns` and `historyTrimmed`, then the records: none when the one to continue
 * after is gone, because older ones are gone as well.
 */
export const readHistory = redisScript(`
local answer = redis.call('HMGET', KEYS[2], 'historyRuns', 'historyTrimmed')
answer[1], answer[2] = answer[1] or '', answer[2] or ''
local first
if ARGV[2] == '' then
  first = redis.call('ZCOUNT', KEYS[1], '(' .. ARGV[1], '+inf')
else
  local rank = redis.call('ZREVRANK', KEYS[1], ARGV[2])
  if not rank then return answer end
  first = rank + 1
end
for _, record in ipairs(redis.call('ZREVRANGE', KEYS[1], first, first + tonumber(ARGV[3]) - 1)) do
  answer[#answer + 1] = record
end
return answer
`);
